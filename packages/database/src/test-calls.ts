import { channelOf, type EventName } from '@ringback/callbacks';
import { insertChange } from './changes.js';
import type { AttemptRecord } from './deliveries.js';
import type { Database } from './open.js';
import { inTransaction } from './transaction.js';
import { type CallableTask, type TaskRow, toTask, webhookColumns } from './task.js';

/** What a worker found out: the call as it went, or why it made none. */
export type TestResult = { skipped: string } | { skipped: null; attempt: TestAttempt };
export type TestAttempt = Omit<AttemptRecord, 'deliveryId' | 'number' | 'kind' | 'state' | 'waitMs'>;

// As JSON keeps it.
type Stored = { skipped: string } | { skipped: null; attempt: Omit<TestAttempt, 'startedAt'> & { startedAt: string } };

const insert = `WITH old AS (DELETE FROM test_calls WHERE created_at < clock_timestamp() - interval '1 hour'),
  made AS (
    INSERT INTO test_calls (account_id, webhook_id, event, payload) VALUES ($1, $2, $3, $4) RETURNING *
  ),
  done AS (SELECT account_id, webhook_id AS id FROM made),
  line AS (${insertChange('webhook.tested', { actor: '$5' })})
  SELECT id, created_at AS "createdAt" FROM made`;

// One account's in turn, so that each counts those before it.
const lockAccount = 'SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE';
const countUnderWay = `SELECT count(*)::int AS "underWay" FROM test_calls
  WHERE account_id = $1 AND created_at > clock_timestamp() - $2::float8 * interval '1 millisecond'`;

/** Test calls of one account under way at once, over all processes; what is older than `forMs` was left behind. */
export type TestCallLimit = { maxUnderWay: number; forMs: number };

/**
 * Notes that a webhook of the account is to be called with an event that is none of the ledger. Null when the account
 * has as many calls under way as it may.
 */
export async function startTestCall(
  db: Database,
  accountId: string,
  { webhookId, event, payload }: { webhookId: string; event: EventName; payload: string },
  { maxUnderWay, forMs }: TestCallLimit,
): Promise<{ id: string; createdAt: Date } | null> {
  const values = [accountId, webhookId, event, payload, db.actor];
  return inTransaction(db, async (client) => {
    await client.query(lockAccount, [accountId]);
    const counted = await client.query<{ underWay: number }>(countUnderWay, [accountId, forMs]);
    if ((counted.rows[0]?.underWay ?? 0) >= maxUnderWay) return null;
    const { rows } = await client.query<{ id: string; createdAt: Date }>(insert, values);
    return rows[0] ?? null;
  });
}

const take = `WITH taken AS (
    UPDATE test_calls SET taken_at = clock_timestamp() WHERE id = $1 AND taken_at IS NULL RETURNING *
  )
  SELECT t.id, 'pending' AS state, 0 AS attempts, 0 AS "crashCount", NULL AS lease, false AS resend, t.event,
      t.created_at AS "receivedAt", t.id AS "eventId", t.account_id AS "accountId", t.payload, w.id AS "webhookId",
      ${webhookColumns}
    FROM taken t JOIN webhooks w ON w.id = t.webhook_id JOIN accounts a ON a.id = w.account_id`;

/** What to call, once and never again; null when another worker has it or nobody waits for it any more. */
export async function takeTestCall(db: Database, id: string): Promise<CallableTask | null> {
  const { rows } = await db.pool.query<Omit<TaskRow, 'channel'> & { payload: string }>(take, [id]);
  const [row] = rows;
  return row ? toTask(db, { ...row, channel: channelOf(row.event) }) : null;
}

/** Leaves what came of a call for whoever waits for it. */
export async function recordTestCall(db: Database, id: string, result: TestResult): Promise<void> {
  await db.pool.query('UPDATE test_calls SET result = $2 WHERE id = $1', [id, JSON.stringify(result)]);
}

/** What came of a call; null as long as that is not known. */
export async function findTestResult(db: Database, id: string): Promise<TestResult | null> {
  const { rows } = await db.pool.query<{ result: Stored | null }>('SELECT result FROM test_calls WHERE id = $1', [id]);
  return revive(rows[0]?.result);
}

const end = 'DELETE FROM test_calls WHERE id = $1 RETURNING result, taken_at IS NOT NULL AS taken';

/** Forgets a call, so that it is not made any more, and says how far it had come. */
export async function endTestCall(db: Database, id: string): Promise<{ result: TestResult | null; taken: boolean }> {
  const { rows } = await db.pool.query<{ result: Stored | null; taken: boolean }>(end, [id]);
  return { result: revive(rows[0]?.result), taken: rows[0]?.taken ?? false };
}

function revive(stored: Stored | null | undefined): TestResult | null {
  if (!stored) return null;
  if (stored.skipped !== null) return stored;
  return { skipped: null, attempt: { ...stored.attempt, startedAt: new Date(stored.attempt.startedAt) } };
}
