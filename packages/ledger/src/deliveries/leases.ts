import type { SkipReason } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import { defineRecords, type RecordColumns, preparedStatement, statement } from '../sql/statement.js';
import { addEndEntrySql } from '../statistics/count-statistics.js';
import type { DeliveryTask } from './delivery-tasks.js';
import { type Due, dueColumnsSql, waitingSql } from './due.js';
import { json, text, uuid } from '../sql/columns.js';

/** A delivery's lease. `leasedAt` is null for a delivery that is not leased. */
export type Lease = Pick<DeliveryTask, 'id' | 'leasedAt'>;

const leaseColumns: RecordColumns<Lease> = {
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
      SELECT id FROM deliveries d WHERE d.id = o.id AND d.leased_at IS NOT DISTINCT FROM o.leased_at FOR NO KEY UPDATE) d
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
  await releaseStatement.run(db.pool, { leases: releaseRecords.encode(leases) });
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
  await renewStatement.run(db.pool, { leases: leaseRecords.encode(leases), leaseMs });
}

const maxRescued = 1_000;

/**
 * Leaves out rows that another worker has locked, so workers may run it concurrently. Uses the index
 * `deliveries_lease_idx`. Its range has a beginning, because the entries of ended leases stay in the index until VACUUM
 * removes them.
 */
const rescueStatement = preparedStatement<{ from: string; before: string }>(
  'rescue',
  `WITH expired AS (
    SELECT id FROM deliveries WHERE lease_expires_at < LEAST($before::timestamptz, now())
        AND lease_expires_at >= $from::timestamptz - interval '5 seconds'
      ORDER BY lease_expires_at LIMIT ${maxRescued} FOR UPDATE SKIP LOCKED
  ), rescued AS (
    UPDATE deliveries SET leased_at = NULL, lease_expires_at = NULL, due_at = clock_timestamp(), expired_lease_count = expired_lease_count + 1,
        updated_at = clock_timestamp()
      WHERE id = ANY (ARRAY (SELECT id FROM expired)) RETURNING webhook_id, channel, account_id, due_at, id
  )
  SELECT now()::text AS now, (SELECT COALESCE(json_agg(r), '[]') FROM (SELECT ${dueColumnsSql} FROM rescued) r) AS rescued`,
).returns({ now: text, rescued: json<Due[]>() });

/**
 * `rescued`: the deliveries, due now. `isComplete`: false if there may be more. `now`: the time of PostgreSQL's clock.
 */
export type RescueResult = { rescued: Due[]; isComplete: boolean; now: string };

/**
 * Ends at most 1,000 leases that expired before a time of PostgreSQL's clock, and after `from` or up to 5 s before it.
 * Their workers are presumed dead, so the deliveries are due at once. The caller passes the `now` of an earlier call as
 * `before`. So when leases expire during a stall of PostgreSQL, live workers still have the time between two calls to
 * record their attempts.
 */
export async function rescueExpiredLeases(
  db: Database,
  { before, from = '-infinity' }: { before: string; from?: string },
): Promise<RescueResult> {
  const { rescued, now } = (await rescueStatement.row(db.pool, { before, from })) ?? { rescued: [], now: before };
  return { rescued, isComplete: rescued.length < maxRescued, now };
}

/** The end of a pending delivery without an attempt: its webhook may not get the callback, or it cannot be sent. */
export type DeliveryEnd = Lease & ({ state: 'skipped'; reason: SkipReason } | { state: 'failed'; reason: string });

const endRecords = defineRecords<DeliveryEnd>({
  ...leaseColumns,
  requested: ['text', ({ state }) => state],
  reason: ['text', ({ reason }) => reason],
});

/** The CTEs that end the deliveries of the CTE `locked`, which has the columns of `endRecords`: they become `ended`. */
const endCtes = `ended AS (
    UPDATE deliveries d SET reason = l.reason, due_at = NULL, leased_at = NULL, lease_expires_at = NULL,
      expired_lease_count = 0, resent_from = NULL, updated_at = clock_timestamp(),
      state = CASE WHEN l.requested = 'skipped' OR resent_from = 'delivered' THEN COALESCE(resent_from, 'skipped') ELSE 'failed' END
    FROM locked l WHERE d.id = l.id AND d.state = 'pending'
    RETURNING d.id, d.event_id, d.account_id, d.webhook_id, d.updated_at, d.state, l.requested
  ), ends AS (INSERT INTO delivery_ends (delivery_id, at, state) SELECT id, updated_at, state FROM ended
  ), entries AS (${addEndEntrySql})`;

const endStatement = preparedStatement<{ ends: string }>(
  'end',
  `${lockLeasesCtes(endRecords.from('$ends'))}, ${endCtes} SELECT id FROM ended`,
).returns({ id: uuid });

/**
 * Ends pending deliveries that still have the given lease. A resent delivery that was delivered before stays delivered.
 * Any other resent delivery gets its earlier state back if `state` is `skipped`, and becomes failed otherwise. Returns
 * the ids of the ended deliveries.
 */
export async function endDeliveries(db: Database, ends: DeliveryEnd[]): Promise<Set<string>> {
  const ended = await endStatement.rows(db.pool, { ends: endRecords.encode(ends) });
  return new Set(ended.map(({ id }) => id));
}

const maxEnded = 1_000;

/** Uses the index `deliveries_claim_idx` for each webhook. */
const endOfAccountStatement = statement<{ accountId: string; reason: SkipReason }>(
  `WITH locked AS MATERIALIZED (
    SELECT id, 'skipped' AS requested, $reason::text AS reason FROM deliveries WHERE id = ANY (ARRAY (
        SELECT d.id FROM webhooks w CROSS JOIN LATERAL (
            SELECT id FROM deliveries WHERE webhook_id = w.id AND ${waitingSql} LIMIT ${maxEnded}) d
          WHERE w.account_id = $accountId LIMIT ${maxEnded})) AND leased_at IS NULL ORDER BY id FOR NO KEY UPDATE
  ), ${endCtes} SELECT id FROM ended`,
).returns({ id: uuid });

/** Ends the waiting deliveries of an account as skipped, in statements of at most 1,000. Leased ones go on. */
export async function endDeliveriesOfAccount(db: Database, accountId: string, reason: SkipReason): Promise<void> {
  while ((await endOfAccountStatement.rows(db.pool, { accountId, reason })).length > 0);
}
