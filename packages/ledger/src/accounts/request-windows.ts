import { Batcher } from '../connection/batch.js';
import type { Database } from '../connection/database.js';
import { defineRecords, deleteInBatches, maxDeletedAtOnce, statement } from '../sql/statement.js';
import { integer, uuid } from '../sql/columns.js';

/**
 * The number of requests with a token in its current window, including this one, and the time until the window ends. A
 * token is an access token or a portal session here.
 */
type WindowCount = { requests: number; endsInMs: number };

/** `requestCount`: how many requests with the token to add. */
type TokenCount = { tokenId: string; requestCount: number };

const tokenRecords = defineRecords<TokenCount>({
  token_id: ['uuid', ({ tokenId }) => tokenId],
  request_count: ['int', ({ requestCount }) => requestCount],
});

/** Adds requests to the windows of tokens, in the order of the token ids, so that two processes never deadlock. */
const countStatement = statement<{ tokens: string; windowMs: number }>(
  `INSERT INTO request_windows AS r (token_id, request_count, ends_at)
    SELECT token_id, request_count, now() + $windowMs::float8 * interval '1 millisecond' FROM ${tokenRecords.from('$tokens')}
      ORDER BY token_id
  ON CONFLICT (token_id) DO UPDATE SET
    request_count = CASE WHEN r.ends_at <= now() THEN excluded.request_count ELSE r.request_count + excluded.request_count END,
    ends_at = CASE WHEN r.ends_at <= now() THEN excluded.ends_at ELSE r.ends_at END
  RETURNING token_id AS id, request_count AS requests,
    GREATEST(0, CEIL(EXTRACT(EPOCH FROM ends_at - clock_timestamp()) * 1000))::int AS "endsInMs"`,
).returns({ id: uuid, requests: integer, endsInMs: integer });

const maxBatchSize = 1_000;

/**
 * Counts the requests with each token for all processes that share the database. A window starts with a token's first
 * request. Each process runs one statement at a time, and the next one counts what arrived meanwhile.
 */
export function createRequestCounter(db: Database, windowMs: number): (tokenId: string) => Promise<WindowCount> {
  const batcher = new Batcher((tokenIds: string[]) => countBatch(db, windowMs, tokenIds), {
    maxSize: maxBatchSize,
    maxConcurrent: 1,
  });
  return (tokenId) => batcher.run(tokenId);
}

/** Leaves out rows that a request locks, so that it never deadlocks with the statement that counts. */
const deleteStatement = statement(`DELETE FROM request_windows WHERE token_id IN (SELECT token_id FROM request_windows
  WHERE ends_at < now() - interval '1 day' LIMIT ${maxDeletedAtOnce} FOR UPDATE SKIP LOCKED)`);

/** Deletes windows that ended over a day ago, in statements of 10,000 rows. Returns the number of deleted windows. */
export async function deleteOldRequestWindows(db: Database): Promise<number> {
  return deleteInBatches(db, deleteStatement, {});
}

async function countBatch(db: Database, windowMs: number, tokenIds: string[]): Promise<WindowCount[]> {
  const counts = new Map<string, number>();
  for (const id of tokenIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const tokens = tokenRecords.encode([...counts].map(([tokenId, requestCount]) => ({ tokenId, requestCount })));
  const rows = await countStatement.rows(db.pool, { tokens, windowMs });
  // At first the counts before this batch. Each request of the batch then adds one.
  const runningCounts = new Map(
    rows.map((row) => [row.id, { ...row, requests: row.requests - (counts.get(row.id) ?? 0) }]),
  );
  return tokenIds.map((id) => {
    const runningCount = runningCounts.get(id);
    if (!runningCount) throw new Error('the statement that counts requests left out a token');
    return { requests: ++runningCount.requests, endsInMs: runningCount.endsInMs };
  });
}
