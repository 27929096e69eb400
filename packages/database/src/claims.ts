import type { Channel } from '@ringback/callbacks';
import { endDelivery } from './deliveries.js';
import type { Database } from './open.js';
import { statement } from './statement.js';
import { type DeliveryTask, isPaused, taskColumns, taskJoins, type TaskRow, toTask } from './task.js';

/** Deliveries of one webhook and channel: what claims and wake-ups are about. */
export type WebhookChannel = { webhookId: string; channel: Channel; accountId: string };

/** How many deliveries are wanted of a webhook and channel. */
export type Wanted = Pick<WebhookChannel, 'webhookId' | 'channel'> & { limit: number };

/** What can be claimed: due, and under no lease. The partial indexes of the claim have the same condition. */
export const isClaimable = `due_at IS NOT NULL AND lease_expires_at IS NULL`;

/**
 * How much of what a rate limit allows may be claimed at once: half a second's worth, and one callback at least. A worker
 * that looks a few times a second gets all that the limit allows.
 */
const burst = `GREATEST(interval '500 milliseconds', interval '1 second' / w.rate)`;

/**
 * Claims the longest due deliveries of each wanted webhook, and skips paused webhooks and rows locked by another worker.
 * A webhook with a rate limit yields as many as it has tokens; all workers share them, and a webhook whose tokens another
 * worker holds yields none. Answers with a row for each delivery, and one without a delivery for a webhook that has a rate
 * limit. `deliveries_claim_idx` serves each webhook on its own, so a long backlog of one costs the others nothing. `now()`
 * rather than `clock_timestamp()`: only a stable time can be a condition of an index.
 */
const claim = statement(
  'claim_due',
  `WITH wanted AS (
    SELECT v.id, v.channel, v.room, w.rate_limit AS rate
      FROM unnest($1::uuid[], $2::text[], $3::int[]) AS v(id, channel, room)
      CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = v.id OFFSET 0) w WHERE NOT (${isPaused})
  ), begun AS (
    INSERT INTO webhook_rates (webhook_id, allowed_at) SELECT id, clock_timestamp() FROM wanted w
      WHERE w.rate IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_rates r WHERE r.webhook_id = w.id) ORDER BY id
      ON CONFLICT DO NOTHING
  ), paced AS (
    SELECT w.id, w.channel, w.room, w.rate, ${burst} AS burst, GREATEST(r.allowed_at, clock_timestamp()) AS next_at
      FROM wanted w JOIN webhook_rates r ON r.webhook_id = w.id WHERE w.rate IS NOT NULL FOR UPDATE OF r SKIP LOCKED
  ), allowed AS (
    SELECT id, channel, room FROM wanted WHERE rate IS NULL
    UNION ALL
    SELECT id, channel, GREATEST(0, LEAST(room, FLOOR(EXTRACT(EPOCH FROM clock_timestamp() + burst - next_at) * rate)))::int
      FROM paced
  ), chosen AS (
    SELECT c.id, w.id AS webhook_id FROM allowed w CROSS JOIN LATERAL (
      SELECT id FROM deliveries
        WHERE webhook_id = w.id AND channel = w.channel AND due_at <= now() AND ${isClaimable}
        ORDER BY due_at LIMIT w.room FOR UPDATE SKIP LOCKED) c
  ), spent AS (
    UPDATE webhook_rates r SET allowed_at = p.next_at + c.n * interval '1 second' / p.rate
      FROM paced p JOIN (SELECT webhook_id, count(*) AS n FROM chosen GROUP BY 1) c ON c.webhook_id = p.id
      WHERE r.webhook_id = p.id
  ), d AS (
    UPDATE deliveries SET updated_at = clock_timestamp(),
      lease_expires_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
    FROM chosen c WHERE deliveries.id = c.id RETURNING deliveries.*
  )
  SELECT CASE WHEN row_number() OVER () = 1 THEN (SELECT array_agg(id::text) FROM wanted WHERE rate IS NOT NULL) END
      AS "limitedIds", t.*
    FROM (VALUES (0)) AS one LEFT JOIN (SELECT ${taskColumns} FROM d ${taskJoins('LEFT JOIN')}) t ON true`,
);

/** `limited`: the webhooks among those wanted that have a rate limit, which may have held some back. */
export type Claimed = { tasks: DeliveryTask[]; limited: Set<string> };

type ClaimRow = { limitedIds: string[] | null } & (TaskRow | { id: null } | { id: string; eventId: null });

/**
 * Claims due deliveries, leased for `leaseMs`. Each webhook may be wanted once in a call. A delivery whose event was
 * deleted is failed, since it would be claimed for ever.
 */
export async function claimDue(db: Database, wanted: Wanted[], { leaseMs }: { leaseMs: number }): Promise<Claimed> {
  const values = [
    wanted.map(({ webhookId }) => webhookId),
    wanted.map(({ channel }) => channel),
    wanted.map(({ limit }) => limit),
    leaseMs,
  ];
  const { rows } = await db.pool.query<ClaimRow>(claim(values));
  const tasks: DeliveryTask[] = [];
  const limited = new Set<string>();
  for (const row of rows) {
    const { limitedIds, ...rest } = row;
    for (const id of limitedIds ?? []) limited.add(id);
    if (rest.id === null) continue;
    if (rest.eventId !== null) tasks.push(toTask(db, rest));
    // When that fails, it is claimed again once its lease has expired.
    else await endDelivery(db, rest.id, 'failed', 'its event was deleted').catch(() => undefined);
  }
  return { tasks, limited };
}

/**
 * Locks the deliveries whose leases are among the given ones, in the order of their ids: two statements that change many
 * deliveries so never wait for each other in a circle.
 */
const lockLeases = (leases: string) => `WITH given AS (SELECT * FROM ${leases} ORDER BY id
  ), i AS MATERIALIZED (
    SELECT g.* FROM given g CROSS JOIN LATERAL (
      SELECT id FROM deliveries WHERE id = g.id AND lease_expires_at = g.lease FOR NO KEY UPDATE) d
  )`;

const release = statement(
  'release',
  `${lockLeases('unnest($1::uuid[], $2::timestamptz[], $3::float8[]) AS t(id, lease, wait_ms)')}
  UPDATE deliveries SET lease_expires_at = NULL, updated_at = clock_timestamp(),
      due_at = GREATEST(due_at, clock_timestamp() + i.wait_ms * interval '1 millisecond')
    FROM i WHERE deliveries.id = i.id`,
);

export type Release = Pick<DeliveryTask, 'id' | 'lease'> & { waitMs: number };

/** Ends leases without an attempt: each delivery may be claimed again after its wait. A lease that has expired is left alone. */
export async function releaseLeases(db: Database, leases: Release[]): Promise<void> {
  const values = [
    leases.map(({ id }) => id),
    leases.map(({ lease }) => lease),
    leases.map(({ waitMs }) => (waitMs > 0 ? waitMs : null)),
  ];
  await db.pool.query(release(values));
}

const renew = statement(
  'renew',
  `${lockLeases('unnest($1::uuid[], $2::timestamptz[]) AS t(id, lease)')}
  UPDATE deliveries SET lease_expires_at = clock_timestamp() + $3::float8 * interval '1 millisecond'
    FROM i WHERE deliveries.id = i.id RETURNING deliveries.id, lease_expires_at::text AS lease`,
);

/** Extends leases of deliveries whose attempts take long. Answers with the new names of those that had not expired. */
export async function renewLeases(
  db: Database,
  leases: Pick<DeliveryTask, 'id' | 'lease'>[],
  { leaseMs }: { leaseMs: number },
): Promise<Map<string, string>> {
  const values = [leases.map(({ id }) => id), leases.map(({ lease }) => lease), leaseMs];
  const { rows } = await db.pool.query<{ id: string; lease: string }>(renew(values));
  return new Map(rows.map(({ id, lease }) => [id, lease]));
}

const maxRescued = 1_000;
const rescue = statement(
  'rescue',
  `WITH expired AS (
    SELECT id FROM deliveries WHERE lease_expires_at < LEAST($1::timestamptz, now()) ORDER BY lease_expires_at LIMIT ${maxRescued}
      FOR UPDATE SKIP LOCKED
  ), rescued AS (
    UPDATE deliveries SET lease_expires_at = NULL, due_at = clock_timestamp(), crash_count = crash_count + 1,
        updated_at = clock_timestamp()
      WHERE id = ANY (ARRAY (SELECT id FROM expired)) RETURNING webhook_id, channel, account_id
  )
  SELECT now()::text AS now, (SELECT COALESCE(json_agg(r), '[]') FROM (
      SELECT webhook_id AS "webhookId", channel, account_id AS "accountId", count(*)::int AS count
        FROM rescued GROUP BY 1, 2, 3) r) AS rescued`,
);

/** `now`: the time of the server, for a later call. */
export type Rescue = { rescued: (WebhookChannel & { count: number })[]; now: string };

/**
 * Ends leases that expired before a time of the server, at most 1,000: their workers died, and the deliveries are due at
 * once. The time is that of an earlier call: when the server stood still, workers so have the time in between to record
 * what they did meanwhile. Any number of workers may call it at once; `deliveries_lease_idx` serves it.
 */
export async function rescueExpiredLeases(db: Database, before: string): Promise<Rescue> {
  const { rows } = await db.pool.query<Rescue>(rescue([before]));
  return rows[0] ?? { rescued: [], now: before };
}
