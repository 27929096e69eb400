import type { Database } from './open.js';
import { settled } from './parking.js';
import { statement } from './statement.js';

const hold = statement(
  'hold',
  `UPDATE deliveries SET parked_at = 'infinity', leased = false, updated_at = clock_timestamp()
    WHERE id = ANY($1::uuid[]) AND state = 'pending'`,
);

/** Has these deliveries wait, without a job, until their webhooks are released. That spends no attempt. */
export async function holdDeliveries(db: Database, ids: string[]): Promise<void> {
  await db.pool.query(hold([ids]));
}

const most = 1_000;
// One step of the index for each webhook, however many deliveries of it wait. Nothing here needs to be sorted; statistics
// that are older than a crowd of held deliveries would have all of them read and sorted each time.
const giveBack = `SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off;
  WITH RECURSIVE held AS (
    (SELECT webhook_id FROM deliveries WHERE parked_at = 'infinity' ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT n.webhook_id FROM held h CROSS JOIN LATERAL (
      SELECT webhook_id FROM deliveries
        WHERE parked_at = 'infinity' AND webhook_id > h.webhook_id ORDER BY webhook_id LIMIT 1) n
  ), released AS (
    SELECT h.webhook_id FROM held h CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = h.webhook_id OFFSET 0) w
      WHERE w.paused_at IS NULL OR NOT w.active OR w.deleted_at IS NOT NULL
  ), chosen AS (
    SELECT c.id FROM released r CROSS JOIN LATERAL (
      SELECT id FROM deliveries WHERE webhook_id = r.webhook_id AND parked_at = 'infinity'
        ORDER BY next_attempt_at LIMIT ${most} FOR UPDATE SKIP LOCKED) c LIMIT ${most}
  )
  UPDATE deliveries d SET parked_at = clock_timestamp() - ${settled}, updated_at = clock_timestamp()
    FROM chosen c WHERE d.id = c.id`;

/**
 * Gives held deliveries whose webhooks are not paused, or not to be called at all, back to be fetched: 1,000 at most, of
 * each webhook the longest due first. Answers with how many. Any number of workers may do it at once.
 */
export async function giveBackHeld(db: Database): Promise<number> {
  // What is sent together is one transaction, and is answered with a result for each.
  const results: unknown = await db.pool.query(giveBack);
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  return typeof last === 'object' && last !== null && 'rowCount' in last ? Number(last.rowCount) : 0;
}
