import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';

/** A pending challenge, which should have a job. */
export type Pending = { id: string; channel: Channel; dueInMs: number; attempts: number };

/** A position in the list of pending challenges, ordered by time. Null is the start. */
export type Position = { at: string; id: string } | null;

export type PendingPage = { pending: Pending[]; position: Position };

type Row = Pending & { at: string };

const columns = (channel: string) => `id, ${channel} AS channel, attempts, next_attempt_at::text AS at,
  GREATEST(0, CEIL(EXTRACT(EPOCH FROM next_attempt_at - clock_timestamp()) * 1000))::float8 AS "dueInMs"`;
const walk = `(next_attempt_at, id) > ($1::timestamptz, $2::uuid)
  AND next_attempt_at < clock_timestamp() - $3::float8 * interval '1 millisecond' ORDER BY next_attempt_at, id LIMIT $4`;
const verifications = `SELECT ${columns("'rcs'")} FROM verifications WHERE state = 'pending' AND ${walk}`;

/**
 * The next page of pending verification challenges after a position, ordered by time. It has those that have been due for
 * longer than `overdueMs`; with -Infinity all of them. `verifications_pending_idx` serves it.
 */
export function findPendingVerifications(db: Database, after: Position, what: { overdueMs: number; limit: number }) {
  return page(db, verifications, { after, ...what });
}

// Longer than any delay.
const maxDelayMs = 100 * 365 * 86_400_000;

async function page(
  db: Database,
  statement: string,
  { after, overdueMs, limit }: { after: Position; overdueMs: number; limit: number },
): Promise<PendingPage> {
  const { at, id } = after ?? { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  const { rows } = await db.pool.query<Row>(statement, [at, id, Math.max(overdueMs, -maxDelayMs), limit]);
  const last = rows.at(-1);
  const pending = rows.map(({ id: one, channel, dueInMs, attempts }) => ({ id: one, channel, dueInMs, attempts }));
  return { pending, position: last && rows.length === limit ? { at: last.at, id: last.id } : null };
}
