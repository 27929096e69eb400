import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  type AttemptRecord,
  type Database,
  dropPartitions,
  deleteOldStatistics,
  endDelivery,
  checkStatistics,
  foldStatistics,
  createPartitions,
  readStatistics,
  recordAttempts,
  resendDelivery,
} from '@ringback/ledger';
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
  await db.pool.query('TRUNCATE attempts, deliveries, events, event_keys, statistics, statistic_entries');
  await db.pool.query(`DELETE FROM audit_marks WHERE name <> 'statistics_began'`);
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
const longAgo = new Date(0);
const findProblems = async (since = longAgo) =>
  (await checkStatistics(db, { since, limit: 10 })).map(({ kind, id, problem }) => [kind, id, problem]);
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
  await resendDelivery(db, ledger.accountId, failing[1] ?? '');
  await endDelivery(db, failing[1] ?? '', 'skipped', 'webhook inactive');
  const [skipped = '', uncalled = ''] = await makeDeliveries(2);
  await endDelivery(db, skipped, 'skipped', 'webhook inactive');
  await resendDelivery(db, ledger.accountId, skipped);
  await endDelivery(db, skipped, 'skipped', 'webhook inactive');
  await endDelivery(db, uncalled, 'failed', 'its event was deleted');
}

test.each([
  ['none', 0],
  ['all', 1],
])('with %s of the entries folded, the audit finds that statistics and ledger agree', async (_name, folds) => {
  await makeHistory();
  for (let fold = 0; fold < folds; fold++) await foldStatistics(db);
  expect(await findProblems()).toEqual([]);
  await makeHistory();
  expect(await findProblems()).toEqual([]);
});

const attemptsDiffer = (counted: number, recorded: number) =>
  expect.stringMatching(`^of the hour from .*Z, ${counted} attempts are counted and ${recorded} recorded$`);
const rowsDiffer = expect.stringContaining('its rows differ');
const mistakes: [string, string, () => unknown[][]][] = [
  ['a lost entry', 'DELETE FROM statistic_entries', () => [['statistics', webhookId, attemptsDiffer(0, 1)]]],
  ['an attempt that was deleted', 'DELETE FROM attempts', () => [['statistics', webhookId, attemptsDiffer(1, 0)]]],
  [
    'an attempt that is counted twice',
    'INSERT INTO statistic_entries SELECT * FROM statistic_entries',
    () => [['statistics', webhookId, attemptsDiffer(2, 1)]],
  ],
  [
    'a wrong response',
    'UPDATE statistic_entries SET codes[2] = 1500',
    () => [['statistics', webhookId, expect.stringContaining('results, responses or durations differ')]],
  ],
  [
    'a wrong duration',
    'UPDATE attempts SET duration_ms = duration_ms * 2',
    () => [['statistics', webhookId, expect.stringContaining('results, responses or durations differ')]],
  ],
  [
    'a skipped delivery that is not counted',
    `UPDATE deliveries SET state = 'skipped', reason = 'webhook inactive', updated_at = clock_timestamp()`,
    () => [
      [
        'statistics',
        webhookId,
        expect.stringContaining('0 deliveries are counted that ended without an attempt, and 1'),
      ],
    ],
  ],
];

test.each(mistakes)('the audit finds %s', async (_name, statement, expected) => {
  await record(await makeDeliveries(1));
  await db.pool.query(statement);
  expect(await findProblems()).toEqual(expected());
  expect(await findProblems(new Date())).toEqual([]);
});

test.each(['minute', 'hour', 'day'])('the audit finds a wrong %s of an account', async (resolution) => {
  await record(await makeDeliveries(1));
  await foldStatistics(db);
  const wrong = `UPDATE statistics SET counts[1] = 7 WHERE resolution = $1 AND subject_id = $2`;
  await db.pool.query(wrong, [resolution, ledger.accountId]);
  expect(await findProblems()).toEqual([['statistics', ledger.accountId, rowsDiffer]]);
});

test('attempts of the previous version are not counted, and the audit leaves them out', async () => {
  const ids = await makeDeliveries(2);
  await record(ids);
  await db.pool.query('UPDATE attempts SET verdict = NULL WHERE delivery_id = $1', [ids[0]]);
  await db.pool.query('DELETE FROM statistic_entries WHERE ctid = (SELECT min(ctid) FROM statistic_entries)');
  expect(await findProblems()).toEqual([]);
});

test('statistics by minute are deleted after a week, by hour and day 30 days after RETENTION_DAYS', async () => {
  await record(await makeDeliveries(1));
  await foldStatistics(db);
  const deleteAfter = (days: number, retentionDays = 30) =>
    deleteOldStatistics(db, { retentionDays, now: Date.now() + days * dayMs });
  expect(await deleteAfter(6)).toBe(0);
  expect(await deleteAfter(8)).toBe(2);
  expect(await countRows(`resolution = 'minute'`)).toBe(0);
  expect(await deleteAfter(59)).toBe(0);
  expect(await deleteAfter(400, 0)).toBe(0);
  expect(await deleteAfter(61)).toBe(4);
  expect(await countRows('true')).toBe(0);
  expect(await findProblems()).toEqual([]);
  await db.pool.query(`DELETE FROM audit_marks WHERE name = 'statistics_dropped'`);
  expect(await findProblems()).toEqual([['statistics', webhookId, attemptsDiffer(0, 1)]]);
});

test('a reader counts each attempt once while entries are written and folded', async () => {
  const batches = 20;
  const perBatch = 25;
  const ids = await makeDeliveries(batches * perBatch);
  let isWriting = true;
  const write = async () => {
    for (let at = 0; at < ids.length; at += perBatch) await record(ids.slice(at, at + perBatch));
    isWriting = false;
  };
  const foldAll = async () => {
    while (isWriting) await foldStatistics(db);
  };
  const readCounts: number[] = [];
  const range = { from: new Date(Date.now() - dayMs), to: new Date(Date.now() + dayMs), resolution: 'minute' as const };
  const read = async () => {
    while (isWriting) {
      const buckets = await readStatistics(db, ledger.accountId, { range, filter: {} });
      readCounts.push(buckets.reduce((sum, { counts }) => sum + (counts.get(1) ?? 0), 0));
    }
  };
  await Promise.all([write(), foldAll(), foldAll(), read()]);
  expect(readCounts).toEqual([...readCounts].sort((a, b) => a - b));
  expect(readCounts.every((count) => count % perBatch === 0)).toBe(true);
  await foldStatistics(db);
  expect(await findProblems()).toEqual([]);
  const [total] = (
    await db.pool.query<{ n: number }>(
      `SELECT sum(counts[array_position(codes, 1::smallint)])::int AS n FROM statistics WHERE resolution = 'day' AND subject_id = $1`,
      [webhookId],
    )
  ).rows;
  expect(total?.n).toBe(ids.length);
});

// This test comes last, because no event of this week can be stored after it.
test('attempts of a dropped partition stay counted, and the audit accepts it', async () => {
  const old = new Date(Date.now() - 3 * 3_600_000);
  await record(await makeDeliveries(2), { startedAt: old });
  await foldStatistics(db);
  const late = { retentionDays: 30, now: Date.now() + 40 * dayMs };
  await createPartitions(db.pool, late);
  expect(await dropPartitions(db, late)).toContain('attempts_first');
  expect(await findProblems()).toEqual([]);
  const range = { from: old, to: new Date(), resolution: 'hour' as const };
  range.from = new Date(Math.floor(old.getTime() / 3_600_000) * 3_600_000);
  const [bucket] = await readStatistics(db, ledger.accountId, { range, filter: {} });
  expect([bucket?.counts.get(1), bucket?.counts.get(1_200)]).toEqual([2, 2]);
  // Without the mark of dropped partitions, the audit finds the difference.
  await db.pool.query(`UPDATE audit_marks SET at = now() - interval '1 day' WHERE name = 'ledger_dropped'`);
  expect(await findProblems()).toEqual([['statistics', webhookId, attemptsDiffer(2, 0)]]);
});
