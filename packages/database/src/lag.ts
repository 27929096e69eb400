import type { Channel } from '@ringback/callbacks';
import { isClaimable } from './claims.js';
import type { Database } from './open.js';

export type Lag = Record<Channel, number> & { verifications: number };

// Enough to find the oldest of both channels, and little enough to look at every few seconds.
const look = 5_000;
const since = (time: string) => `COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - ${time}), 0)::float8`;
const lag = `WITH due AS MATERIALIZED (
    SELECT channel, due_at FROM deliveries WHERE due_at < now() AND ${isClaimable} ORDER BY due_at, id LIMIT ${look}
  ), challenge AS (
    SELECT next_attempt_at FROM verifications
      WHERE state = 'pending' AND next_attempt_at < clock_timestamp() ORDER BY next_attempt_at, id LIMIT 1
  )
  SELECT (SELECT ${since('min(due_at)')} FROM due WHERE channel = 'sms') AS sms,
    (SELECT ${since('min(due_at)')} FROM due WHERE channel = 'rcs') AS rcs,
    (SELECT ${since('min(next_attempt_at)')} FROM challenge) AS verifications`;

/**
 * For how many seconds the delivery of each channel, and the challenge, that has been due longest has been due; 0 when
 * none is. Looks at the 5,000 that have been due longest: a channel that has none among them counts as having none.
 */
export async function measureLag(db: Database): Promise<Lag> {
  const { rows } = await db.pool.query<Lag>(lag);
  return rows[0] ?? { sms: 0, rcs: 0, verifications: 0 };
}
