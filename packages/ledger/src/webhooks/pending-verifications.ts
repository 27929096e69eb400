import type { Database } from '../connection/open.js';
import { lowestId } from '../sql/uuid.js';

/** A position in the list of pending verifications, which is ordered by due time. As an argument, null is the start. */
export type VerificationPosition = { at: string; id: string } | null;

/**
 * A page of the ids of pending verifications. Each should have a job in the verification queue. `position` is where the
 * next page starts. It is null if this page is not full, because no page follows then.
 */
export type PendingVerifications = { ids: string[]; position: VerificationPosition };

const pageSql = `SELECT id, next_attempt_at::text AS at FROM verifications
  WHERE state = 'pending' AND (next_attempt_at, id) > ($1::timestamptz, $2::uuid)
    AND next_attempt_at < clock_timestamp() - $3::float8 * interval '1 millisecond'
  ORDER BY next_attempt_at, id LIMIT $4`;

// Stands in for Infinity, which an interval cannot hold: no verification becomes due later than this.
const maxDelayMs = 100 * 365 * 86_400_000;

/**
 * The next page of pending verifications after a position, ordered by due time. It contains those that have been due
 * for longer than `overdueMs`; -Infinity selects all. Uses the index `verifications_pending_idx`.
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
