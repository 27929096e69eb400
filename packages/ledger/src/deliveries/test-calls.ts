import { channelOf, type EventName } from '@ringback/rules';
import { insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { lockAccountStatement } from '../connection/lock.js';
import { isUuid } from '../sql/ids.js';
import type { AttemptFields } from './attempts.js';
import { taskColumns, type TaskWithPayload, toTask, webhookColumnsSql } from './delivery-tasks.js';
import { boolean, integer, json, text, timestamp, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/** The result of a test call: the attempt, or the reason why there was none. */
export type TestCallResult =
  | { type: 'skipped'; reason: string }
  /** Ringback could not send it. */
  | { type: 'unavailable'; reason: string }
  | { type: 'attempted'; attempt: TestCallAttempt };

/** The attempt of a test call, which belongs to no delivery. */
export type TestCallAttempt = AttemptFields & { startedAt: Date };

// The result as stored in JSON.
type StoredAttempt = AttemptFields & { startedAt: string };
type StoredResult =
  { skipped: string } | { skipped: null; unavailable: string } | { skipped: null; attempt: StoredAttempt };

type InsertParameters = { accountId: string; webhookId: string; event: EventName; payload: string; actor: Actor };

/** Inserts a test call, records it in the change history, and deletes test calls that are older than an hour. */
const insertStatement =
  statement<InsertParameters>(`WITH old AS (DELETE FROM test_calls WHERE created_at < clock_timestamp() - interval '1 hour'),
  new_call AS (
    INSERT INTO test_calls (account_id, webhook_id, event, payload)
      VALUES ($accountId, $webhookId, $event, $payload) RETURNING *
  ),
  changed_rows AS (SELECT account_id, webhook_id AS id FROM new_call),
  log AS (${insertChangeSql('webhook.tested', { actor: '$actor' })})
  SELECT id, created_at AS "createdAt" FROM new_call`).returns({ id: uuid, createdAt: timestamp });

const countConcurrentStatement = statement<{ accountId: string; staleAfterMs: number }>(
  `SELECT count(*)::int AS count FROM test_calls
    WHERE account_id = $accountId AND created_at > clock_timestamp() - $staleAfterMs::float8 * interval '1 millisecond'`,
).returns({ count: integer });

/**
 * Maximum concurrent test calls of one account, in all processes. A test call older than `staleAfterMs` does not count,
 * because its request has ended.
 */
type TestCallLimit = { maxConcurrent: number; staleAfterMs: number };

/**
 * Stores a test call, which sends one of the account's webhooks an event that is not in the ledger. Null when the
 * account has the maximum number of concurrent test calls.
 */
export async function insertTestCall(
  db: Database,
  accountId: string,
  { webhookId, event, payload }: { webhookId: string; event: EventName; payload: string },
  { maxConcurrent, staleAfterMs }: TestCallLimit,
): Promise<{ id: string; createdAt: Date } | null> {
  return inTransaction(db, async (client) => {
    await lockAccountStatement.run(client, { accountId });
    const counted = await countConcurrentStatement.row(client, { accountId, staleAfterMs });
    if ((counted?.count ?? 0) >= maxConcurrent) return null;
    return (await insertStatement.row(client, { accountId, webhookId, event, payload, actor: db.actor })) ?? null;
  });
}

const { channel: _, ...claimColumns } = taskColumns;
const claimStatement = statement<{ id: string }>(`WITH claimed AS (
    UPDATE test_calls SET claimed_at = clock_timestamp() WHERE id = $id AND claimed_at IS NULL RETURNING *
  )
  SELECT t.id, 'pending'::delivery_state AS state, 0 AS "attemptCount", 0 AS "expiredLeaseCount", NULL::text AS "leasedAt",
      false AS "isResend", t.event AS "eventName",
      t.created_at AS "receivedAt", t.id AS "eventId", t.account_id AS "accountId", t.payload, w.id AS "webhookId",
      ${webhookColumnsSql}
    FROM claimed t JOIN webhooks w ON w.id = t.webhook_id JOIN accounts a ON a.id = w.account_id`).returns({
  ...claimColumns,
  payload: text,
});

/**
 * Claims a test call for a worker. A test call can be claimed only once. Null when it was claimed before or has ended,
 * or when no test call has this id.
 */
export async function claimTestCall(db: Database, id: string): Promise<TaskWithPayload | null> {
  if (!isUuid(id)) return null;
  const row = await claimStatement.row(db.pool, { id });
  return row ? toTask({ ...row, channel: channelOf(row.eventName) }, row) : null;
}

const recordStatement = statement<{ id: string; result: string }>(
  'UPDATE test_calls SET result = $result WHERE id = $id',
);

/** Stores the result of a test call, for the API request that waits for it. */
export async function recordTestCall(db: Database, id: string, result: TestCallResult): Promise<void> {
  await recordStatement.run(db.pool, { id, result: JSON.stringify(toStored(result)) });
}

function toStored(result: TestCallResult): StoredResult {
  if (result.type === 'skipped') return { skipped: result.reason };
  if (result.type === 'unavailable') return { skipped: null, unavailable: result.reason };
  const { startedAt, ...attempt } = result.attempt;
  return { skipped: null, attempt: { ...attempt, startedAt: startedAt.toISOString() } };
}

const resultColumn = json<StoredResult>().orNull;
const findResultStatement = statement<{ id: string }>('SELECT result FROM test_calls WHERE id = $id').returns({
  result: resultColumn,
});

/** The result of a test call. Null until it is known, and after the test call has ended. */
export async function findTestCallResult(db: Database, id: string): Promise<TestCallResult | null> {
  return fromStored((await findResultStatement.row(db.pool, { id }))?.result);
}

const endStatement = statement<{ id: string }>(
  'DELETE FROM test_calls WHERE id = $id RETURNING result, claimed_at IS NOT NULL AS "wasClaimed"',
).returns({ result: resultColumn, wasClaimed: boolean });

/** Deletes a test call, so that no worker can claim it. Returns its result, and whether a worker claimed it. */
export async function endTestCall(
  db: Database,
  id: string,
): Promise<{ result: TestCallResult | null; wasClaimed: boolean }> {
  const row = await endStatement.row(db.pool, { id });
  return { result: fromStored(row?.result), wasClaimed: row?.wasClaimed ?? false };
}

function fromStored(stored: StoredResult | null | undefined): TestCallResult | null {
  if (!stored) return null;
  if (stored.skipped !== null) return { type: 'skipped', reason: stored.skipped };
  if ('unavailable' in stored) return { type: 'unavailable', reason: stored.unavailable };
  const { startedAt, ...attempt } = stored.attempt;
  return { type: 'attempted', attempt: { ...attempt, startedAt: new Date(startedAt) } };
}
