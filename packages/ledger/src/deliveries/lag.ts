import type { Channel } from '@ringback/rules';
import { earliestDueCte } from './earliest-due.js';
import type { Database } from '../connection/open.js';
import { pausedSql } from '../webhooks/pausing.js';

/**
 * The seconds for which the most overdue delivery of each channel, and the most overdue verification, have been due.
 */
export type Lag = Record<Channel, number> & { verifications: number };

// The statement runs at each scrape of the metrics, and takes one index probe for each webhook and channel.
const maxProbes = 10_000;
const secondsSinceSql = (time: string) => `COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - ${time}), 0)::float8`;

/** Uses the indexes `deliveries_claim_idx` and `verifications_pending_idx`. */
const lagSql = `WITH RECURSIVE ${earliestDueCte()}, due AS MATERIALIZED (
    SELECT f.channel, f.due_at FROM (SELECT * FROM first_deliveries LIMIT ${maxProbes}) f JOIN webhooks w ON w.id = f.webhook_id
      WHERE f.due_at < now() AND NOT (${pausedSql})
  ), verification AS (
    SELECT next_attempt_at FROM verifications
      WHERE state = 'pending' AND next_attempt_at < clock_timestamp() ORDER BY next_attempt_at, id LIMIT 1
  )
  SELECT (SELECT ${secondsSinceSql('min(due_at)')} FROM due WHERE channel = 'sms') AS sms,
    (SELECT ${secondsSinceSql('min(due_at)')} FROM due WHERE channel = 'rcs') AS rcs,
    (SELECT ${secondsSinceSql('min(next_attempt_at)')} FROM verification) AS verifications`;

/**
 * Measures the lag, which is 0 if nothing is due. It examines at most 10,000 pairs of a webhook and a channel with
 * waiting deliveries, one delivery of each, and leaves out paused webhooks and leased deliveries.
 */
export async function measureLag(db: Database): Promise<Lag> {
  const { rows } = await db.pool.query<Lag>(lagSql);
  return rows[0] ?? { sms: 0, rcs: 0, verifications: 0 };
}
