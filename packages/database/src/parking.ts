import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';
import { statement } from './statement.js';

const park = statement(
  'park',
  `UPDATE deliveries SET parked_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = ANY($1::uuid[]) AND state = 'pending'`,
);

/** Notes that these deliveries wait for their webhooks to have fewer calls in flight. They need no job meanwhile. */
export async function parkDeliveries(db: Database, ids: string[]): Promise<void> {
  await db.pool.query(park([ids]));
}

// The job of a delivery that was parked a moment ago may still be leaving the queue. A time to come is a lease.
const free = `parked_at < clock_timestamp() - interval '250 milliseconds'`;
const claim = statement(
  'claim',
  `WITH claimed AS (
    SELECT id FROM deliveries WHERE webhook_id = $1 AND parked_at IS NOT NULL AND channel = ANY($2::text[]) AND ${free}
      ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE deliveries d SET parked_at = clock_timestamp() + $4::float8 * interval '1 millisecond',
    next_attempt_at = clock_timestamp(), updated_at = clock_timestamp()
  FROM claimed c WHERE d.id = c.id RETURNING d.id, d.channel`,
);

/**
 * Takes parked deliveries of a webhook, the longest due first. They stay parked, under a lease: nobody else gets them
 * for `leaseMs`, and whoever dies with one in hand leaves it to the others. Recording an attempt ends the parking.
 */
export async function claimParked(
  db: Database,
  webhookId: string,
  { channels, limit, leaseMs }: { channels: Channel[]; limit: number; leaseMs: number },
): Promise<{ id: string; channel: Channel }[]> {
  const { rows } = await db.pool.query<{ id: string; channel: Channel }>(claim([webhookId, channels, limit, leaseMs]));
  return rows;
}

// One step of the index for each webhook, however many deliveries of it wait.
const webhooks = `WITH RECURSIVE parked AS (
    (SELECT webhook_id, account_id FROM deliveries WHERE parked_at IS NOT NULL ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT n.webhook_id, n.account_id FROM parked p CROSS JOIN LATERAL (
      SELECT webhook_id, account_id FROM deliveries WHERE parked_at IS NOT NULL AND webhook_id > p.webhook_id
        ORDER BY webhook_id LIMIT 1) n
  )
  SELECT webhook_id AS "webhookId", account_id AS "accountId" FROM parked LIMIT $1`;

/** The webhooks that have parked deliveries, at most `limit`. */
export async function listParkedWebhooks(
  db: Database,
  { limit }: { limit: number },
): Promise<{ webhookId: string; accountId: string }[]> {
  const { rows } = await db.pool.query<{ webhookId: string; accountId: string }>(webhooks, [limit]);
  return rows;
}
