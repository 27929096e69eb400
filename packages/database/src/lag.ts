import type { Channel } from '@ringback/callbacks';
import { isClaimable } from './claims.js';
import type { Database } from './open.js';
import { isPaused } from './task.js';

export type Lag = Record<Channel, number> & { verifications: number };

// A step of an index each, every few seconds.
const maxWebhooks = 10_000;
const head = (after: string) => `SELECT webhook_id, channel, due_at FROM deliveries
    WHERE ${isClaimable}${after} ORDER BY webhook_id, channel, due_at LIMIT 1`;
const since = (time: string) => `COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - ${time}), 0)::float8`;
const lag = `WITH RECURSIVE heads AS (
    (${head('')})
    UNION ALL
    SELECT n.* FROM heads h CROSS JOIN LATERAL (${head(' AND (webhook_id, channel) > (h.webhook_id, h.channel)')}) n
  ), due AS MATERIALIZED (
    SELECT h.channel, h.due_at FROM (SELECT * FROM heads LIMIT ${maxWebhooks}) h JOIN webhooks w ON w.id = h.webhook_id
      WHERE h.due_at < now() AND NOT (${isPaused})
  ), challenge AS (
    SELECT next_attempt_at FROM verifications
      WHERE state = 'pending' AND next_attempt_at < clock_timestamp() ORDER BY next_attempt_at, id LIMIT 1
  )
  SELECT (SELECT ${since('min(due_at)')} FROM due WHERE channel = 'sms') AS sms,
    (SELECT ${since('min(due_at)')} FROM due WHERE channel = 'rcs') AS rcs,
    (SELECT ${since('min(next_attempt_at)')} FROM challenge) AS verifications`;

/**
 * For how many seconds the delivery of each channel, and the challenge, that has been due longest has been due; 0 when
 * none is. Deliveries of paused webhooks are not counted. Looks at the first of each webhook, of 10,000 webhooks at most.
 */
export async function measureLag(db: Database): Promise<Lag> {
  const { rows } = await db.pool.query<Lag>(lag);
  return rows[0] ?? { sms: 0, rcs: 0, verifications: 0 };
}
