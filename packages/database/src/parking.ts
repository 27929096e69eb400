import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';
import { statement } from './statement.js';
import { type DeliveryTask, taskColumns, taskJoins, type TaskRow, toTask } from './task.js';

const park = statement(
  'park',
  `UPDATE deliveries SET parked_at = clock_timestamp(), leased = false, updated_at = clock_timestamp()
    WHERE id = ANY($1::uuid[]) AND state = 'pending'`,
);

/** Notes that these deliveries wait for their webhooks to have fewer calls in flight. They need no job meanwhile. */
export async function parkDeliveries(db: Database, ids: string[]): Promise<void> {
  await db.pool.query(park([ids]));
}

/** For so long the job of a delivery that was parked may still be leaving its queue. */
export const settled = `interval '250 milliseconds'`;
// A time to come is a lease.
const free = `parked_at < clock_timestamp() - ${settled}`;
const claim = statement(
  'claim',
  `WITH chosen AS (
    SELECT c.id, c.leased FROM unnest($1::uuid[], $2::int[]) AS w(id, room) CROSS JOIN LATERAL (
      SELECT id, leased FROM deliveries
        WHERE webhook_id = w.id AND parked_at IS NOT NULL AND channel = ANY($3::text[]) AND ${free}
        ORDER BY next_attempt_at LIMIT w.room FOR UPDATE SKIP LOCKED) c
  ), d AS (
    UPDATE deliveries SET leased = NOT c.leased, next_attempt_at = clock_timestamp(), updated_at = clock_timestamp(),
      parked_at = CASE WHEN NOT c.leased THEN clock_timestamp() + $4::float8 * interval '1 millisecond' END
    FROM chosen c WHERE deliveries.id = c.id RETURNING deliveries.*
  )
  SELECT ${taskColumns} FROM d ${taskJoins}`,
);

export type WebhookRoom = { webhookId: string; room: number };

/**
 * Takes parked deliveries of some webhooks, the longest due first. `claimed` stay parked, under a lease: nobody else gets
 * them for `leaseMs`. `orphaned` are those that somebody else took and left when the lease ended: he died, maybe of them,
 * so they are parked no longer and need a job, which counts such deaths. Recording an attempt ends the parking.
 */
export async function claimParked(
  db: Database,
  webhooks: WebhookRoom[],
  { channels, leaseMs }: { channels: Channel[]; leaseMs: number },
): Promise<{ claimed: DeliveryTask[]; orphaned: { id: string; channel: Channel; attempts: number }[] }> {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const rooms = webhooks.map(({ room }) => room);
  const { rows } = await db.pool.query<TaskRow>(claim([ids, rooms, channels, leaseMs]));
  return {
    claimed: rows.filter(({ parked }) => parked).map((row) => toTask(db, row)),
    orphaned: rows.filter(({ parked }) => !parked),
  };
}

// One step of the index for each webhook, however many deliveries of it wait.
const webhooks = `WITH RECURSIVE parked AS (
    (SELECT webhook_id, account_id FROM deliveries WHERE parked_at IS NOT NULL AND ${free} ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT n.webhook_id, n.account_id FROM parked p CROSS JOIN LATERAL (
      SELECT webhook_id, account_id FROM deliveries
        WHERE parked_at IS NOT NULL AND ${free} AND webhook_id > p.webhook_id ORDER BY webhook_id LIMIT 1) n
  )
  SELECT webhook_id AS "webhookId", account_id AS "accountId" FROM parked LIMIT $1`;

/** The webhooks that have parked deliveries which nobody has in hand, at most `limit`. */
export async function listParkedWebhooks(
  db: Database,
  { limit }: { limit: number },
): Promise<{ webhookId: string; accountId: string }[]> {
  const { rows } = await db.pool.query<{ webhookId: string; accountId: string }>(webhooks, [limit]);
  return rows;
}
