import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';

/** Something that should have a job: when it is due, and how often it was tried. */
export type Pending = { id: string; channel: Channel; dueInMs: number; attempts: number };

/** Where a walk through what is pending stands: everything up to here was seen. Null is the beginning. */
export type Position = { at: string; id: string } | null;

export type PendingPage = { pending: Pending[]; position: Position };

type Row = Pending & { at: string };

const columns = (channel: string) => `id, ${channel} AS channel, attempts, next_attempt_at::text AS at,
  GREATEST(0, CEIL(EXTRACT(EPOCH FROM next_attempt_at - clock_timestamp()) * 1000))::float8 AS "dueInMs"`;
const walk = `(next_attempt_at, id) > ($1::timestamptz, $2::uuid)
  AND next_attempt_at < clock_timestamp() - $3::float8 * interval '1 millisecond' ORDER BY next_attempt_at, id LIMIT $4`;
const verifications = `SELECT ${columns("'rcs'")} FROM verifications WHERE state = 'pending' AND ${walk}`;

/**
 * The next page of pending verification challenges after a position, by time. Only those that have been due for longer
 * than `overdueMs`; -Infinity for all, whenever they are due.
 */
export function findPendingVerifications(db: Database, after: Position, what: { overdueMs: number; limit: number }) {
  return page(db, verifications, { after, ...what });
}

// Further than any wait there is.
const everMs = 100 * 365 * 86_400_000;

async function page(
  db: Database,
  statement: string,
  { after, overdueMs, limit }: { after: Position; overdueMs: number; limit: number },
): Promise<PendingPage> {
  const { at, id } = after ?? { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  const { rows } = await db.pool.query<Row>(statement, [at, id, Math.max(overdueMs, -everMs), limit]);
  const last = rows.at(-1);
  const pending = rows.map(({ id: one, channel, dueInMs, attempts }) => ({ id: one, channel, dueInMs, attempts }));
  return { pending, position: last && rows.length === limit ? { at: last.at, id: last.id } : null };
}
