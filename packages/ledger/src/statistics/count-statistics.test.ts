import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type AttemptRecord,
  type Database,
  dropPartitions,
  deleteOldStatistics,
  endDeliveries,
  rollUpStatistics,
  createPartitions,
  readStatistics,
  rebuildStatistics,
  recordAttempts,
  resendDelivery,
  runExclusively,
} from '../index.js';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';

const dayMs = 86_400_000;
let ledger: TestLedger;
let db: Database;
let webhookId: string;
beforeAll(async () => {
  ledger = await openTestLedger();
  ({ db } = ledger);
});
afterAll(() => ledger.close());
beforeEach(async () => {
  await db.pool.query(
    'TRUNCATE attempts, deliveries, events, event_keys, statistics, statistic_entries, partition_drops',
  );
  webhookId = await ledger.makeWebhook();
});

let pushed = 0;
async function makeDeliveries(count: number): Promise<string[]> {
  const reports = Array.from({ length: count }, (): [string, string] => [`report-${pushed++}`, webhookId]);
  const events = await ledger.storeAll(reports);
  const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM deliveries WHERE event_id = ANY($1)`, [
    events.map(({ eventId }) => eventId),
  ]);
  return rows.map(({ id }) => id);
}
const record = (ids: string[], changes: Partial<AttemptRecord> = {}) =>
  recordAttempts(
    db,
    ids.map((deliveryId) => ({ ...deliveredAttempt, deliveryId, startedAt: new Date(), ...changes })),
  );
const hourMs = 3_600_000;
const longAgo = new Date(0);
const rebuild = async (from = longAgo) => rebuildStatistics(db, { from, to: new Date(Date.now() + hourMs) });

/** The counts of the account and of the webhook in the last two days, by minute, hour and day. */
async function readCounts(): Promise<unknown[]> {
  const counts: unknown[] = [];
  const startMs = Math.floor(Date.now() / dayMs - 1) * dayMs;
  for (const resolution of ['minute', 'hour', 'day'] as const) {
    const range = { from: new Date(startMs), to: new Date(startMs + 3 * dayMs), resolution };
    for (const filter of [{}, { webhookIds: [webhookId] }])
      for (const bucket of await readStatistics(db, ledger.accountId, { range, filter }))
        counts.push({ ...bucket, resolution, counts: [...bucket.counts].sort(([a], [b]) => a - b) });
  }
  return counts;
}
const countAttempts = async () => {
  const range = {
    from: new Date(Date.now() - 2 * dayMs),
    to: new Date(Date.now() + dayMs),
    resolution: 'day' as const,
  };
  const buckets = await readStatistics(db, ledger.accountId, { range, filter: {} });
  return buckets.reduce((sum, { counts }) => sum + (counts.get(1) ?? 0), 0);
};
const countRows = async (condition: string) =>
  (await db.pool.query(`SELECT FROM statistics WHERE ${condition}`)).rowCount;

/** Makes attempts with each result and many responses and durations, and deliveries without attempts. */
async function makeHistory(): Promise<void> {
  const durations = [0, 1, 2, 3, 7, 8, 64, 4_096, 65_536, ...Array.from({ length: 60 }, (_, index) => 1 + index * 53)];
  const ids = await makeDeliveries(durations.length);
  for (const [index, id] of ids.entries()) await record([id], { durationMs: durations[index] ?? 0 });
  const failing = await makeDeliveries(9);
  const outcomes = ['timeout', 'dns', 'tls', 'connect', 'reset', 'refused', 'protocol', 'another', 'response'];
  for (const [index, id] of failing.entries()) {
    const failure = { outcome: outcomes[index] ?? '', statusCode: outcomes[index] === 'response' ? 503 : null };
    await record([id], { ...failure, state: 'pending', waitMs: 0 });
    await record([id], { ...failure, number: 2, state: 'failed' });
  }
  await resendDelivery(db, ledger.accountId, failing[0] ?? '');
  await record(failing.slice(0, 1), { number: 3 });
  const [skipped = '', uncalled = ''] = await makeDeliveries(2);
  await endDeliveries(db, [{ id: skipped, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
  await endDeliveries(db, [{ id: uncalled, leasedAt: null, state: 'failed', reason: 'its event was deleted' }]);
}

test.each([
  ['none', 0],
  ['all', 1],
])('with %s of the entries rolled up, a rebuild counts the same as the workers did', async (_name, rollUps) => {
  await makeHistory();
  for (let rollUp = 0; rollUp < rollUps; rollUp++) await rollUpStatistics(db);
  const counts = await readCounts();
  expect((await rebuild()).counted).toBe(90);
  expect(await readCounts()).toEqual(counts);
  await makeHistory();
  const more = await readCounts();
  await rebuild();
  expect(await readCounts()).toEqual(more);
});

const mistakes = [
  ['lost entries', 'DELETE FROM statistic_entries'],
  ['lost counts', 'DELETE FROM statistics'],
  ['attempts that are counted twice', 'INSERT INTO statistic_entries SELECT * FROM statistic_entries'],
  ['a wrong response', 'UPDATE statistic_entries SET codes[2] = 1500'],
  ['wrong minutes', `UPDATE statistics SET counts[1] = 7 WHERE resolution = 'minute'`],
  ['wrong hours', `UPDATE statistics SET counts[1] = 7 WHERE resolution = 'hour'`],
  ['wrong days', `UPDATE statistics SET counts[1] = 7 WHERE resolution = 'day'`],
] as const;

test.each(mistakes)('a rebuild repairs %s', async (_name, statement) => {
  await record(await makeDeliveries(2));
  await rollUpStatistics(db);
  await record(await makeDeliveries(1));
  const counts = await readCounts();
  await db.pool.query(statement);
  expect(await readCounts()).not.toEqual(counts);
  await rebuild();
  expect(await readCounts()).toEqual(counts);
});

test('a rebuild counts a delivery that was skipped twice only once, because the ledger has one end of it', async () => {
  const [skipped = ''] = await makeDeliveries(1);
  for (let skips = 0; skips < 2; skips++) {
    await endDeliveries(db, [{ id: skipped, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
    if (skips === 0) await resendDelivery(db, ledger.accountId, skipped);
  }
  expect((await rebuild()).counted).toBe(1);
});

test('a rebuild from an hour on leaves earlier hours as they are, and their day adds up', async () => {
  const from = new Date(Math.floor(Date.now() / hourMs) * hourMs);
  await record(await makeDeliveries(3), { startedAt: new Date(from.getTime() - 1) });
  await record(await makeDeliveries(2), { startedAt: from });
  await rollUpStatistics(db);
  const counts = await readCounts();
  await db.pool.query('DELETE FROM attempts WHERE started_at < $1', [from]);
  await db.pool.query(`UPDATE statistics SET counts[1] = 7 WHERE start >= $1 OR resolution = 'day'`, [from]);
  expect(await rebuild(from)).toMatchObject({ from, counted: 2 });
  expect(await readCounts()).toEqual(counts);
});

test('statistics by minute are deleted after a week, by hour and day 30 days after RETENTION_DAYS', async () => {
  await record(await makeDeliveries(1));
  await rollUpStatistics(db);
  const deleteAfter = (days: number, retentionDays = 30) =>
    deleteOldStatistics(db, { retentionDays, now: Date.now() + days * dayMs });
  expect(await deleteAfter(6)).toBe(0);
  expect(await deleteAfter(8)).toBe(2);
  expect(await countRows(`resolution = 'minute'`)).toBe(0);
  expect(await deleteAfter(59)).toBe(0);
  expect(await deleteAfter(400, 0)).toBe(0);
  expect(await deleteAfter(61)).toBe(4);
  expect(await countRows('true')).toBe(0);
});

test('a reader counts each attempt once while entries are written, rolled up and rebuilt', async () => {
  const batches = 20;
  const perBatch = 25;
  const ids = await makeDeliveries(batches * perBatch);
  let isWriting = true;
  const write = async () => {
    for (let at = 0; at < ids.length; at += perBatch) await record(ids.slice(at, at + perBatch));
    isWriting = false;
  };
  const whileWriting = async (run: () => Promise<unknown>) => {
    while (isWriting) await run();
  };
  const rollUp = () => runExclusively(db, 'statistics', async () => void (await rollUpStatistics(db)));
  const readCounts: number[] = [];
  const read = async () => void readCounts.push(await countAttempts());
  await Promise.all([write(), whileWriting(rollUp), whileWriting(rollUp), whileWriting(rebuild), whileWriting(read)]);
  expect(readCounts).toEqual([...readCounts].sort((a, b) => a - b));
  expect(readCounts.every((count) => count % perBatch === 0)).toBe(true);
  await rollUpStatistics(db);
  expect(await countAttempts()).toBe(ids.length);
  expect(await countRows(`resolution = 'day' AND subject_id = '${webhookId}' AND delivered = ${ids.length}`)).toBe(1);
});

// This test comes last, because no event of this week can be stored after it.
test('attempts of a dropped partition stay counted, also after a rebuild', async () => {
  const old = new Date(Date.now() - 3 * hourMs);
  await record(await makeDeliveries(2), { startedAt: old });
  await rollUpStatistics(db);
  const late = { retentionDays: 30, now: Date.now() + 40 * dayMs };
  await createPartitions(db.pool, late);
  expect(await dropPartitions(db, late)).toContain('attempts_first');
  const { from, counted } = await rebuild();
  expect([from.getTime() > Date.now(), counted]).toEqual([true, 0]);
  expect(await countAttempts()).toBe(2);
});
