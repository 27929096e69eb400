import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import {
  createWebhook,
  exportLines,
  Importer,
  type ImportLine,
  listUnnotifiedPauses,
  openDatabase,
  readOutcomes,
  recordAttempts,
  subscribe,
  updateAccount,
} from '../index.js';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const makeAccounts = (count: number) => {
  return Array.from({ length: count }, () => ({ type: 'account' as const, id: randomUUID(), name: 'moving' }));
};
const importAll = (lines: ImportLine[]) =>
  Importer.run(ledger.db, { isDryRun: false }, (importer) => importer.importBatch(lines));

/** How many of the accounts are stored, and by how many transactions. */
async function readStored(lines: { id: string }[]) {
  const sql =
    'SELECT count(*)::int AS stored, count(DISTINCT xmin::text)::int AS transactions FROM accounts WHERE id = ANY($1)';
  return (await ledger.db.pool.query(sql, [lines.map(({ id }) => id)])).rows[0];
}

test('a batch is one transaction, and only its parts around a refused line have their own', async () => {
  const whole = makeAccounts(500);
  expect(new Set((await importAll(whole)).map(({ state }) => state))).toEqual(new Set(['created']));
  expect(await readStored(whole)).toEqual({ stored: 500, transactions: 1 });

  const taken = { type: 'account' as const, id: randomUUID(), name: 'first', externalId: 'taken' };
  await importAll([taken]);
  const lines: ImportLine[] = makeAccounts(499);
  lines.splice(123, 0, { ...taken, id: randomUUID() });
  const results = await importAll(lines);
  const refused = results.flatMap((result, index) => (result.state === 'refused' ? [[index, result.reason]] : []));
  expect(refused).toEqual([[123, 'external_id: another account has it']]);
  const { stored, transactions } = await readStored(lines as { id: string }[]);
  expect(stored).toBe(499);
  expect(transactions).toBeLessThanOrEqual(9);
});

test('of two webhooks in a batch with one verification, the second is refused', async () => {
  const verification = { id: randomUUID(), state: 'failed' as const };
  const lines = ['first', 'second'].map((name) => ({
    ...{ type: 'webhook' as const, id: randomUUID(), accountId: ledger.accountId, name, verification },
    uri: 'https://example.com/',
  }));
  const reason = 'verification.id: it is a verification of another webhook';
  expect(await importAll(lines)).toEqual([{ state: 'created' }, { state: 'refused', reason }]);
});

test('a dry run answers as an import, stores nothing, and meanwhile others change what it lists', async () => {
  const db = openDatabase({ url: ledger.url, connectTimeoutMs: 60_000, queryTimeoutMs: 2_000 });
  const { accountId } = ledger;
  const [id, hash] = [await ledger.makeWebhook(), 'a'.repeat(64)];
  const event = { accountId, event: 'sms:message:status' as const };
  const known = { ...{ type: 'event_key' as const, ...event }, platformEventId: 'known' };
  await importAll([known]);
  const account = { type: 'account' as const, id: accountId, name: 'dry', externalId: 'dry' };
  const webhook = { type: 'webhook' as const, id, accountId, name: 'dry', uri: 'https://example.com/' };
  const subscription = { type: 'subscription' as const, ...event, webhookId: id, identity: 'dry' };
  const batches: ImportLine[][] = [
    [account],
    [account],
    [{ ...account, id: randomUUID() }],
    [webhook],
    [webhook],
    [{ type: 'access_token', accountId, hash }],
    [{ type: 'access_token', accountId, hash }],
    [subscription, { ...subscription, id: 7_777, identity: 'with an id' }],
    [subscription],
    [known, { ...known, platformEventId: 'new' }],
    [{ ...known, platformEventId: 'new' }],
  ];
  const [created, updated, unchanged] = [{ state: 'created' }, { state: 'updated' }, { state: 'unchanged' }];
  const expected = [
    updated,
    unchanged,
    { state: 'refused', reason: 'external_id: another account has it' },
    ...[updated, unchanged, created, unchanged, created, created, unchanged, unchanged, created, unchanged],
  ];
  const importBatches = async (importer: Importer) => {
    const results = [];
    for (const batch of batches) results.push(...(await importer.importBatch(batch)));
    return results;
  };
  const exportAll = async () => {
    const lines = [];
    for await (const line of exportLines(db, { withSecrets: true })) lines.push(line);
    return lines;
  };
  const before = await exportAll();
  const results = await Importer.run(db, { isDryRun: true }, async (importer) => {
    const answers = await importBatches(importer);
    expect(await exportAll()).toEqual(before);
    await updateAccount(db, accountId, { name: 'customer' });
    const input = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
    await createWebhook(db, accountId, { ...input, bodyTemplate: null, signing: true });
    const [deliveryId = ''] = await ledger.deliveriesOf(await ledger.store('meanwhile', id));
    await recordAttempts(db, [{ ...deliveredAttempt, deliveryId, startedAt: new Date() }]);
    const read = async () => (await readOutcomes(db, { cursor: null, limit: 10 })).outcomes;
    await until(async () => (await read()).length > 0, 'the outcome is shown');
    return answers;
  });
  expect(results).toEqual(expected);
  await updateAccount(db, accountId, { name: 'test' });
  expect(await Importer.run(db, { isDryRun: false }, importBatches)).toEqual(expected);
  await db.close();
});

const makeSubscriptions = async (ids: number[]) => {
  const subscription = {
    accountId: ledger.accountId,
    webhookId: await ledger.makeWebhook(),
    event: 'sms:message:status',
  };
  const lines = ids.map((id) => ({ type: 'subscription' as const, ...subscription, id, identity: `${id}` }));
  return { subscription, lines };
};

test('new subscriptions continue after the highest imported id that the sequence may have', async () => {
  const sequence = 'ALTER SEQUENCE subscriptions_id_seq MINVALUE 100 MAXVALUE 199 START 100 RESTART';
  await ledger.db.pool.query(sequence);
  const { subscription, lines } = await makeSubscriptions([7, 120, 5_000]);
  await importAll(lines);
  expect((await subscribe(ledger.db, ledger.accountId, { ...subscription, identity: 'all' })).id).toBe(121);
  const unknown = { ...lines[0]!, webhookId: randomUUID(), id: 198 };
  await importAll([{ ...lines[0]!, id: 110, identity: 'earlier' }, unknown]);
  expect((await subscribe(ledger.db, ledger.accountId, { ...subscription, identity: 'next' })).id).toBe(122);
});

test('an import leaves a subscription alone that got the id of a line at the same time', async () => {
  const { subscription, lines } = await makeSubscriptions([7_000]);
  const client = await ledger.db.pool.connect();
  const read = async (sql: string) => (await ledger.db.pool.query<{ text: string }>(sql)).rows.map(({ text }) => text);
  try {
    const sql = `INSERT INTO subscriptions (id, account_id, webhook_id, event, identity, created_at)
      VALUES (7000, $1, $2, $3, 'of a customer', '2026-01-01')`;
    await client.query('BEGIN');
    await client.query(sql, [subscription.accountId, subscription.webhookId, subscription.event]);
    const results = importAll(lines);
    const waitingSql = `SELECT query AS text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await read(waitingSql)).length > 0, 'the import waits for the other transaction');
    await client.query('COMMIT');
    expect(await results).toEqual([{ state: 'refused', reason: 'id: 7000 is another subscription' }]);
    const storedSql = `SELECT identity || ' ' || created_at::date AS text FROM subscriptions WHERE id = 7000`;
    expect(await read(storedSql)).toEqual(['of a customer 2026-01-01']);
  } finally {
    client.release();
  }
});

const readPause = async (id: string) =>
  (
    await ledger.db.pool.query(
      `SELECT paused_at IS NOT NULL AS "isPaused", pause_reason AS reason, pause_notified_at IS NOT NULL AS "isNotified",
        failing_since IS NOT NULL AS "isFailing" FROM webhooks WHERE id = $1`,
      [id],
    )
  ).rows[0];
const notPaused = { isPaused: false, reason: null, isNotified: false, isFailing: false };

test('an import that ends a pause leaves nothing of it, and an imported pause was announced elsewhere', async () => {
  const id = await ledger.makeWebhook();
  const line = { type: 'webhook' as const, id, accountId: ledger.accountId, name: 'hook', uri: 'https://example.com/' };
  await ledger.db.pool.query(
    `UPDATE webhooks SET paused_at = now(), pause_reason = 'failing', pause_notified_at = now(),
      failing_since = now() - interval '10 days' WHERE id = $1`,
    [id],
  );
  await importAll([{ ...line, paused: null }]);
  expect(await readPause(id)).toEqual(notPaused);

  const [deliveryId = ''] = await ledger.deliveriesOf(await ledger.store('m-1', id));
  const gone = { ...deliveredAttempt, deliveryId, startedAt: new Date(), statusCode: 410, state: 'failed' as const };
  await ledger.db.pool.query('UPDATE webhooks SET pause_notified_at = now() WHERE id = $1', [id]);
  await recordAttempts(ledger.db, [gone], { failingAfterDays: 0, pauseOnGone: true });
  expect(await readPause(id)).toEqual({ isPaused: true, reason: 'gone', isNotified: false, isFailing: true });
  expect(await listUnnotifiedPauses(ledger.db, { limit: 10 })).toMatchObject([{ webhookId: id }]);

  await importAll([{ ...line, paused: { since: '2025-01-01T00:00:00.000000Z', reason: 'failing' } }]);
  expect(await readPause(id)).toEqual({ isPaused: true, reason: 'failing', isNotified: true, isFailing: false });
});
