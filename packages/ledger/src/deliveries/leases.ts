import { type WebhookChannel, webhookChannelColumnsSql } from './webhook-channel.js';
import type { Database } from '../connection/open.js';
import { type Columns, defineRecords } from '../sql/json-records.js';
import { preparedStatement } from '../sql/statement.js';
import type { DeliveryTask } from './delivery-task.js';

type Lease = Pick<DeliveryTask, 'id' | 'leasedAt'>;

const leaseColumns: Columns<Lease> = {
  id: ['uuid', ({ id }) => id],
  leased_at: ['timestamptz', ({ leasedAt }) => leasedAt],
};

/**
 * The CTE `locked`: those of the given leases that deliveries still have. The deliveries' rows are locked in the order
 * of their ids, so that two statements that change many deliveries never deadlock. Uses the primary key of
 * `deliveries`.
 */
const lockLeasesCtes = (leases: string) => `WITH ordered AS (SELECT * FROM ${leases} ORDER BY id
  ), locked AS MATERIALIZED (
    SELECT o.* FROM ordered o CROSS JOIN LATERAL (
      SELECT id FROM deliveries d WHERE d.id = o.id AND d.leased_at = o.leased_at FOR NO KEY UPDATE) d
  )`;

/** A lease to end. The delivery does not become due again before `waitMs` have passed. */
export type LeaseRelease = Lease & { waitMs: number };

const releaseRecords = defineRecords<LeaseRelease>({
  ...leaseColumns,
  wait_ms: ['float8', ({ waitMs }) => (waitMs > 0 ? waitMs : null)],
});

const releaseStatement = preparedStatement<{ leases: string }>(
  'release',
  `${lockLeasesCtes(releaseRecords.from('$leases'))}
  UPDATE deliveries SET leased_at = NULL, lease_expires_at = NULL, updated_at = clock_timestamp(),
      due_at = GREATEST(due_at, clock_timestamp() + l.wait_ms * interval '1 millisecond')
    FROM locked l WHERE deliveries.id = l.id`,
);

/**
 * Ends leases without an attempt. Each delivery may be claimed again after its wait. Leaves out leases that have
 * already ended.
 */
export async function releaseLeases(db: Database, leases: LeaseRelease[]): Promise<void> {
  await db.pool.query(releaseStatement({ leases: releaseRecords.encode(leases) }));
}

const leaseRecords = defineRecords<Lease>(leaseColumns);

const renewStatement = preparedStatement<{ leases: string; leaseMs: number }>(
  'renew',
  `${lockLeasesCtes(leaseRecords.from('$leases'))}
  UPDATE deliveries SET lease_expires_at = clock_timestamp() + $leaseMs::float8 * interval '1 millisecond'
    FROM locked l WHERE deliveries.id = l.id`,
);

/** Makes leases last for `leaseMs` from now. Their ids do not change. Leaves out leases that have ended. */
export async function renewLeases(db: Database, leases: Lease[], { leaseMs }: { leaseMs: number }): Promise<void> {
  await db.pool.query(renewStatement({ leases: leaseRecords.encode(leases), leaseMs }));
}

const maxRescued = 1_000;

/**
 * Leaves out rows that another worker has locked, so workers may run it concurrently. Uses the index
 * `deliveries_lease_idx`.
 */
const rescueStatement = preparedStatement<{ before: string }>(
  'rescue',
  `WITH expired AS (
    SELECT id FROM deliveries WHERE lease_expires_at < LEAST($before::timestamptz, now())
      ORDER BY lease_expires_at LIMIT ${maxRescued} FOR UPDATE SKIP LOCKED
  ), rescued AS (
    UPDATE deliveries SET leased_at = NULL, lease_expires_at = NULL, due_at = clock_timestamp(), expired_lease_count = expired_lease_count + 1,
        updated_at = clock_timestamp()
      WHERE id = ANY (ARRAY (SELECT id FROM expired)) RETURNING webhook_id, channel, account_id
  )
  SELECT now()::text AS now, (SELECT COALESCE(json_agg(r), '[]') FROM (
      SELECT ${webhookChannelColumnsSql}, count(*)::int AS count
        FROM rescued GROUP BY 1, 2, 3) r) AS rescued`,
);

/** `rescued`: the webhooks of the rescued deliveries, with their number. `now`: the time of PostgreSQL's clock. */
export type RescueResult = { rescued: (WebhookChannel & { count: number })[]; now: string };

/**
 * Ends at most 1,000 leases that expired before a time of PostgreSQL's clock. Their workers are presumed dead, so the
 * deliveries are due at once. The caller passes the `now` of an earlier call. So when leases expire during a stall of
 * PostgreSQL, live workers still have the time between two calls to record their attempts.
 */
export async function rescueExpiredLeases(db: Database, before: string): Promise<RescueResult> {
  const { rows } = await db.pool.query<RescueResult>(rescueStatement({ before }));
  return rows[0] ?? { rescued: [], now: before };
}
