import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@ringback/testing';
import { openTestLedger, type TestLedger } from '@ringback/ledger/fixture';
import { DueScanner } from './due-finder.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());
beforeEach(() => ledger.db.pool.query('DELETE FROM deliveries'));

const insert = `INSERT INTO deliveries (event_id, account_id, webhook_id, channel, due_at)
  SELECT ringback_uuid_v7_at(now()), $1, id, 'sms', now() + $3::interval FROM unnest($2::uuid[]) AS w(id)`;
/** Stores a delivery for each webhook, due in a moment, in one statement. */
const store = (webhookIds: string[], dueIn = '0 s') =>
  ledger.db.pool.query(insert, [ledger.accountId, webhookIds, dueIn]);
const makeWebhooks = (count: number) => Promise.all(Array.from({ length: count }, () => ledger.makeWebhook()));

/** Scans as a dispatcher does, until these webhooks were found. */
async function scanUntilFound(scanner: DueScanner, webhookIds: string[], withinMs?: number) {
  const missing = new Set(webhookIds);
  const hasFoundAll = async () => {
    for (const { webhookId } of await scanner.find()) missing.delete(webhookId);
    return missing.size === 0;
  };
  await until(hasFoundAll, () => `${missing.size} webhooks are found`, withinMs);
}

/** Scans as soon as the scanner allows it. */
async function scanAgain(scanner: DueScanner) {
  scanner.schedule(0);
  // A timer may end up to 1 ms early.
  await sleep(scanner.msUntilNext() + 2);
  return scanner.find();
}

test('each delivery that becomes due is found, when it is due and not before', async () => {
  const scanner = new DueScanner(ledger.db);
  await scanner.find();
  const [now, soon, later] = (await makeWebhooks(3)) as [string, string, string];
  await store([now]);
  await store([soon], '700 ms');
  await store([later], '1 hour');
  await scanUntilFound(scanner, [now]);
  await scanUntilFound(scanner, [soon]);
  const { rows } = await ledger.db.pool.query(
    `SELECT clock_timestamp() >= due_at AS due FROM deliveries WHERE webhook_id = $1`,
    [soon],
  );
  expect(rows).toEqual([{ due: true }]);
  expect((await scanAgain(scanner)).map(({ webhookId }) => webhookId)).not.toContain(later);
});

test('each of 12,000 deliveries that become due at the same time is found', async () => {
  const [many, ...few] = (await makeWebhooks(4)) as [string, ...string[]];
  const scanner = new DueScanner(ledger.db);
  await scanner.find();
  // Ids are in the order of the list, so the last webhooks come several pages after the first.
  await store([few[0]!, ...Array<string>(6_000).fill(many), few[1]!, ...Array<string>(6_000).fill(many), few[2]!]);
  await scanUntilFound(scanner, [many, ...few]);
  const { rows } = await ledger.db.pool.query(
    `SELECT count(*)::int AS deliveries, count(DISTINCT due_at)::int AS times FROM deliveries`,
  );
  expect(rows).toEqual([{ deliveries: 12_003, times: 1 }]);
});

test('a delivery that is committed after scans have passed its due time is found', async () => {
  const [webhookId] = (await makeWebhooks(1)) as [string];
  const scanner = new DueScanner(ledger.db);
  const client = await ledger.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(insert, [ledger.accountId, [webhookId], '0 s']);
    for (let scans = 0; scans < 3; scans++) expect(await scanAgain(scanner)).toEqual([]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  await scanUntilFound(scanner, [webhookId], 2_500);
});

test('a scan is due early when a delivery is reported to become due, but at the earliest after 25 ms', async () => {
  const clock = { ms: 0 };
  const scanner = new DueScanner(ledger.db, () => clock.ms);
  await scanner.find();
  expect(scanner.msUntilNext()).toBe(1_000);
  scanner.schedule(300);
  expect(scanner.msUntilNext()).toBe(300);
  scanner.schedule(0);
  // Scans are 25 ms apart.
  expect(scanner.msUntilNext()).toBe(25);
  const [webhookId, dueNow] = (await makeWebhooks(2)) as [string, string];
  await store([webhookId], '500 ms');
  await store([dueNow]);
  clock.ms = 25;
  expect(scanner.msUntilNext()).toBe(0);
  expect((await scanner.find()).map((due) => due.webhookId)).toEqual([dueNow]);
  expect(scanner.msUntilNext()).toBeLessThanOrEqual(500);
});
