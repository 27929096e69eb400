import type { Database } from '../connection/open.js';
import { lowestId } from '../sql/uuid.js';

/** A position in the list of pending challenges, which is ordered by due time. Null is the start. */
export type VerificationPosition = { at: string; id: string } | null;

/** The ids of pending challenges, which should have jobs. `position` is null on the last page. */
export type PendingVerifications = { ids: string[]; position: VerificationPosition };

const pageSql = `SELECT id, next_attempt_at::text AS at FROM verifications
  WHERE state = 'pending' AND (next_attempt_at, id) > ($1::timestamptz, $2::uuid)
    AND next_attempt_at < clock_timestamp() - $3::float8 * interval '1 millisecond'
  ORDER BY next_attempt_at, id LIMIT $4`;

// Longer than any delay.
const maxDelayMs = 100 * 365 * 86_400_000;

/**
 * The next page of pending verification challenges after a position, ordered by due time. It contains those that have
 * been due for longer than `overdueMs`; -Infinity selects all. `verifications_pending_idx` serves it.
 */
export async function findPendingVerifications(
  db: Database,
  after: VerificationPosition,
  { overdueMs, limit }: { overdueMs: number; limit: number },
): Promise<PendingVerifications> {
  const { at, id } = after ?? { at: '-infinity', id: lowestId };
  const values = [at, id, Math.max(overdueMs, -maxDelayMs), limit];
  const { rows } = await db.pool.query<{ id: string; at: string }>(pageSql, values);
  const last = rows.at(-1);
  return { ids: rows.map((row) => row.id), position: last && rows.length === limit ? last : null };
}
