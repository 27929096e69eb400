import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';

/** A pending challenge, which should have a job. */
export type PendingVerification = { id: string; channel: Channel; dueInMs: number; attempts: number };

/** A position in the list of pending challenges, which is ordered by due time. Null is the start. */
export type Position = { at: string; id: string } | null;

export type PendingPage = { pending: PendingVerification[]; position: Position };

type Row = PendingVerification & { at: string };

const columns = (channel: string) => `id, ${channel} AS channel, attempts, next_attempt_at::text AS at,
  GREATEST(0, CEIL(EXTRACT(EPOCH FROM next_attempt_at - clock_timestamp()) * 1000))::float8 AS "dueInMs"`;
const pageCondition = `(next_attempt_at, id) > ($1::timestamptz, $2::uuid)
  AND next_attempt_at < clock_timestamp() - $3::float8 * interval '1 millisecond' ORDER BY next_attempt_at, id LIMIT $4`;
const pageOfPending = `SELECT ${columns("'rcs'")} FROM verifications WHERE state = 'pending' AND ${pageCondition}`;

// Longer than any delay.
const maxDelayMs = 100 * 365 * 86_400_000;

/**
 * The next page of pending verification challenges after a position, ordered by due time. It contains those that have
 * been due for longer than `overdueMs`; -Infinity selects all. `verifications_pending_idx` serves it.
 */
export async function findPendingVerifications(
  db: Database,
  after: Position,
  { overdueMs, limit }: { overdueMs: number; limit: number },
): Promise<PendingPage> {
  const { at, id } = after ?? { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  const { rows } = await db.pool.query<Row>(pageOfPending, [at, id, Math.max(overdueMs, -maxDelayMs), limit]);
  const last = rows.at(-1);
  const pending = rows.map(({ at: _at, ...verification }) => verification);
  return { pending, position: last && rows.length === limit ? { at: last.at, id: last.id } : null };
}
