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
// A time to come is a lease. What is held has an index of its own.
const free = `parked_at < 'infinity' AND parked_at < clock_timestamp() - ${settled}`;

/**
 * So much of what a rate limit allows may come at once: half a second's worth, and one callback at least. A worker that
 * looks a few times a second so gets all that the limit allows.
 */
const burst = `GREATEST(interval '500 milliseconds', interval '1 second' / w.rate)`;

// A webhook with a rate limit has as much room as it has tokens. They are those of all workers: whoever comes while
// another one has them gets none. One that nobody has asked for yet gets its row now, and its tokens the next time.
const claim = statement(
  'claim',
  `WITH wanted AS (
    SELECT v.id, v.room, w.rate_limit AS rate FROM unnest($1::uuid[], $2::int[]) AS v(id, room) JOIN webhooks w USING (id)
  ), begun AS (
    INSERT INTO webhook_rates (webhook_id, allowed_at) SELECT id, clock_timestamp() FROM wanted w
      WHERE w.rate IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_rates r WHERE r.webhook_id = w.id) ORDER BY id
      ON CONFLICT DO NOTHING
  ), paced AS (
    SELECT w.id, w.room, w.rate, ${burst} AS burst, GREATEST(r.allowed_at, clock_timestamp()) AS next_at
      FROM wanted w JOIN webhook_rates r ON r.webhook_id = w.id WHERE w.rate IS NOT NULL FOR UPDATE OF r SKIP LOCKED
  ), allowed AS (
    SELECT id, room FROM wanted WHERE rate IS NULL
    UNION ALL
    SELECT id, GREATEST(0, LEAST(room, FLOOR(EXTRACT(EPOCH FROM clock_timestamp() + burst - next_at) * rate)))::int
      FROM paced
  ), chosen AS (
    SELECT c.id, c.leased, w.id AS webhook_id FROM allowed w CROSS JOIN LATERAL (
      SELECT id, leased FROM deliveries
        WHERE webhook_id = w.id AND channel = ANY($3::text[]) AND ${free} AND ($5::boolean OR NOT leased)
        ORDER BY next_attempt_at LIMIT w.room FOR UPDATE SKIP LOCKED) c
  ), spent AS (
    UPDATE webhook_rates r SET allowed_at = p.next_at + c.n * interval '1 second' / p.rate
      FROM paced p JOIN (SELECT webhook_id, count(*) AS n FROM chosen GROUP BY 1) c ON c.webhook_id = p.id
      WHERE r.webhook_id = p.id
  ), d AS (
    UPDATE deliveries SET next_attempt_at = clock_timestamp(), updated_at = clock_timestamp(), leased = true,
      parked_at = CASE WHEN NOT c.leased THEN clock_timestamp() + $4::float8 * interval '1 millisecond' END
    FROM chosen c WHERE deliveries.id = c.id RETURNING deliveries.*
  )
  SELECT ${taskColumns} FROM d ${taskJoins}`,
);

export type WebhookRoom = { webhookId: string; room: number };

/**
 * Takes parked deliveries of some webhooks, the longest due first, as many as their rate limits allow. `claimed` stay
 * parked, under a lease: nobody else gets them for `leaseMs`. `orphaned` are those that somebody else took and left when
 * the lease ended: he died, maybe of them, so they are parked no longer and need a job, which counts such deaths. They
 * stay where they are without `orphans`.
 * Recording an attempt ends the parking.
 */
export async function claimParked(
  db: Database,
  webhooks: WebhookRoom[],
  { channels, leaseMs, orphans = true }: { channels: Channel[]; leaseMs: number; orphans?: boolean },
): Promise<{ claimed: DeliveryTask[]; orphaned: { id: string; channel: Channel; attempts: number }[] }> {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const rooms = webhooks.map(({ room }) => room);
  const { rows } = await db.pool.query<TaskRow>(claim([ids, rooms, channels, leaseMs, orphans]));
  return {
    claimed: rows.filter(({ parked }) => parked).map((row) => toTask(db, row)),
    orphaned: rows.filter(({ parked }) => !parked),
  };
}

// One step of the index for each webhook, however many deliveries of it wait.
const webhooks = `WITH RECURSIVE parked AS (
    (SELECT webhook_id, account_id FROM deliveries
      WHERE ${free} AND ($2::uuid IS NULL OR webhook_id > $2) ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT n.webhook_id, n.account_id FROM parked p CROSS JOIN LATERAL (
      SELECT webhook_id, account_id FROM deliveries
        WHERE ${free} AND webhook_id > p.webhook_id ORDER BY webhook_id LIMIT 1) n
  )
  SELECT webhook_id AS "webhookId", account_id AS "accountId" FROM parked LIMIT $1`;

/** The webhooks that have parked deliveries which nobody has in hand, in the order of their ids, at most `limit`. */
export async function listParkedWebhooks(
  db: Database,
  { limit, after = null }: { limit: number; after?: string | null },
): Promise<{ webhookId: string; accountId: string }[]> {
  const { rows } = await db.pool.query<{ webhookId: string; accountId: string }>(webhooks, [limit, after]);
  return rows;
}
