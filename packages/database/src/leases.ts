import type { WebhookChannel } from './claims.js';
import type { Database } from './open.js';
import { defineRecords } from './records.js';
import { statement } from './statement.js';
import type { DeliveryTask } from './task.js';

type Lease = Pick<DeliveryTask, 'id' | 'lease'>;

/**
 * Locks the deliveries that still have the given leases, in the order of their ids, so that two statements that change many
 * deliveries never deadlock. `deliveries` is served by its primary key.
 */
const lockLeases = (leases: string) => `WITH ordered AS (SELECT * FROM ${leases} ORDER BY id
  ), locked AS MATERIALIZED (
    SELECT o.* FROM ordered o CROSS JOIN LATERAL (
      SELECT id FROM deliveries WHERE id = o.id AND lease_expires_at = o.lease FOR NO KEY UPDATE) d
  )`;

/** A lease to end. The delivery is due after `waitMs` at the earliest. */
export type Release = Lease & { waitMs: number };

const releaseRecords = defineRecords<Release>({
  id: ['uuid', ({ id }) => id],
  lease: ['timestamptz', ({ lease }) => lease],
  wait_ms: ['float8', ({ waitMs }) => (waitMs > 0 ? waitMs : null)],
});

const release = statement<{ leases: string }>(
  'release',
  `${lockLeases(releaseRecords.from('$leases'))}
  UPDATE deliveries SET lease_expires_at = NULL, updated_at = clock_timestamp(),
      due_at = GREATEST(due_at, clock_timestamp() + l.wait_ms * interval '1 millisecond')
    FROM locked l WHERE deliveries.id = l.id`,
);

/** Ends leases without an attempt: each delivery may be claimed again after its wait. Skips leases that have expired. */
export async function releaseLeases(db: Database, leases: Release[]): Promise<void> {
  await db.pool.query(release({ leases: releaseRecords.encode(leases) }));
}

const leaseRecords = defineRecords<Lease>({
  id: ['uuid', ({ id }) => id],
  lease: ['timestamptz', ({ lease }) => lease],
});

const renew = statement<{ leases: string; leaseMs: number }>(
  'renew',
  `${lockLeases(leaseRecords.from('$leases'))}
  UPDATE deliveries SET lease_expires_at = clock_timestamp() + $leaseMs::float8 * interval '1 millisecond'
    FROM locked l WHERE deliveries.id = l.id RETURNING deliveries.id, lease_expires_at::text AS lease`,
);

/** Extends the leases of deliveries whose attempts take long. Returns the new leases, by delivery, of those not expired. */
export async function renewLeases(
  db: Database,
  leases: Lease[],
  { leaseMs }: { leaseMs: number },
): Promise<Map<string, string>> {
  const query = renew({ leases: leaseRecords.encode(leases), leaseMs });
  const { rows } = await db.pool.query<{ id: string; lease: string }>(query);
  return new Map(rows.map(({ id, lease }) => [id, lease]));
}

const maxRescued = 1_000;

/** Skips rows that another worker has locked, so any number of workers may run it. `deliveries_lease_idx` serves it. */
const rescue = statement<{ before: string }>(
  'rescue',
  `WITH expired AS (
    SELECT id FROM deliveries WHERE lease_expires_at < LEAST($before::timestamptz, now())
      ORDER BY lease_expires_at LIMIT ${maxRescued} FOR UPDATE SKIP LOCKED
  ), rescued AS (
    UPDATE deliveries SET lease_expires_at = NULL, due_at = clock_timestamp(), crash_count = crash_count + 1,
        updated_at = clock_timestamp()
      WHERE id = ANY (ARRAY (SELECT id FROM expired)) RETURNING webhook_id, channel, account_id
  )
  SELECT now()::text AS now, (SELECT COALESCE(json_agg(r), '[]') FROM (
      SELECT webhook_id AS "webhookId", channel, account_id AS "accountId", count(*)::int AS count
        FROM rescued GROUP BY 1, 2, 3) r) AS rescued`,
);

/** `now`: the server's time, for a later call. */
export type Rescue = { rescued: (WebhookChannel & { count: number })[]; now: string };

/**
 * Ends at most 1,000 leases that expired before a time of the server: their workers died, and the deliveries are due at
 * once. The caller passes the time that its previous call returned. If the server stood still, live workers so have the
 * time between two calls to record their attempts.
 */
export async function rescueExpiredLeases(db: Database, before: string): Promise<Rescue> {
  const { rows } = await db.pool.query<Rescue>(rescue({ before }));
  return rows[0] ?? { rescued: [], now: before };
}
