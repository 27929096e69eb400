import type { Database } from '../connection/database.js';
import { defineRecords, preparedStatement } from '../sql/statement.js';
import { onHoldSql } from '../webhooks/pauses.js';
import {
  type DeliveryTask,
  taskColumns,
  taskColumnsSql,
  taskJoinsSql,
  type TaskRow,
  toTask,
} from './delivery-tasks.js';
import { type Due, type DueKey, unknownDueAt, waitingSql } from './due.js';
import type { Lease } from './leases.js';
import { allOrNull, arrayOf, text } from '../sql/columns.js';

/** A request for at most `limit` deliveries of a webhook and channel that became due at `dueFrom` or later. */
export type ClaimRequest = Pick<DueKey, 'webhookId' | 'channel'> & { limit: number; dueFrom?: string };

const claimRecords = defineRecords<ClaimRequest>({
  id: ['uuid', ({ webhookId }) => webhookId],
  channel: ['text', ({ channel }) => channel],
  max_deliveries: ['int', ({ limit }) => limit],
  due_from: ['timestamptz', ({ dueFrom }) => dueFrom ?? unknownDueAt],
});

/** A delivery to lease by its id. */
export type KnownDelivery = Pick<Due, 'webhookId'> & { id: string };

const knownRecords = defineRecords<KnownDelivery>({
  id: ['uuid', ({ id }) => id],
  webhook_id: ['uuid', ({ webhookId }) => webhookId],
});

/** Assignments that lease a delivery. */
const leaseAssignmentsSql = `updated_at = clock_timestamp(), leased_at = clock_timestamp(),
      lease_expires_at = clock_timestamp() + $leaseMs::float8 * interval '1 millisecond'`;

/**
 * The tasks of the leased deliveries `d`, or one row without a task. A lease that a crash of PostgreSQL forgets only
 * makes the delivery due again, so its commit need not wait for the disk.
 */
const leasedTasksSql = (idsWithRateLimitSql: string) => `
  SELECT CASE WHEN row_number() OVER () = 1 THEN (${idsWithRateLimitSql}) END AS "idsWithRateLimit", task.*
    FROM (VALUES (set_config('synchronous_commit', 'off', true))) AS one
    LEFT JOIN (SELECT d.due_at::text AS "dueAt", ${taskColumnsSql} FROM d ${taskJoinsSql('LEFT JOIN')}) task ON true`;
const leasedTaskColumns = { idsWithRateLimit: arrayOf(text).orNull, dueAt: text.orNull, ...allOrNull(taskColumns) };

/**
 * Leases deliveries by their ids, without a search. It leaves out webhooks that are on hold or have a rate limit,
 * deliveries that do not wait, and rows that another worker has locked: a notification makes all workers lease the same
 * rows at once. The rows are locked in the order of their ids, so that it never deadlocks with other statements.
 */
const leaseStatement = preparedStatement<{ known: string; leaseMs: number }>(
  'lease_due',
  `WITH known AS (
    SELECT k.id, k.webhook_id, w.rate_limit AS rate FROM ${knownRecords.from('$known', 'k')}
      CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = k.webhook_id OFFSET 0) w WHERE NOT ${onHoldSql}
  ), targets AS (
    SELECT due.id FROM unnest(ARRAY (SELECT id FROM known WHERE rate IS NULL ORDER BY id)) AS t(id)
      CROSS JOIN LATERAL (
        -- Neither the condition of the claim index nor that of the due index, so only the primary key fits.
        SELECT id FROM deliveries WHERE id = t.id AND due_at <= now() AND lease_expires_at IS NULL
          FOR UPDATE SKIP LOCKED) due
  ), d AS (
    UPDATE deliveries SET ${leaseAssignmentsSql}
    FROM unnest(ARRAY (SELECT id FROM targets)) AS t(id) WHERE deliveries.id = t.id RETURNING deliveries.*
  )
  ${leasedTasksSql('SELECT array_agg(DISTINCT webhook_id::text) FROM known WHERE rate IS NOT NULL')}`,
).returns(leasedTaskColumns);

/**
 * Leases the most overdue deliveries of each requested webhook and channel. It leaves out webhooks on hold, and rows
 * that another worker has locked. The search begins at `dueFrom`, because entries of earlier deliveries stay in the
 * index until VACUUM removes them, and a backup or a forgotten transaction may prevent that for hours.
 *
 * A rate limit is a GCRA (generic cell rate algorithm). `allowed_at`, which all workers share, is its theoretical
 * arrival time: when the leased deliveries will have used up their share.
 */
const claimStatement = preparedStatement<{ requests: string; leaseMs: number }>(
  'claim_due',
  `WITH requests AS (
    SELECT c.id, c.channel, c.max_deliveries, c.due_from, w.rate_limit AS rate
      FROM ${claimRecords.from('$requests', 'c')}
      -- OFFSET 0: otherwise the planner turns the read of each webhook by its id into a join.
      CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = c.id OFFSET 0) w WHERE NOT ${onHoldSql}
  ), new_rates AS (
    -- The rest of the statement does not see these rows. So the first claim leases nothing of such a webhook.
    INSERT INTO webhook_rate_limits (webhook_id, allowed_at) SELECT q.id, clock_timestamp() FROM requests q
      WHERE q.rate IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_rate_limits r WHERE r.webhook_id = q.id) ORDER BY q.id
      ON CONFLICT DO NOTHING
  ), rate_limited AS (
    -- allowed_at may be ahead of the clock by a burst, so that a worker that claims only a few times a second can reach
    -- the limit. While another worker has locked the row, nothing of this webhook is leased.
    SELECT q.id, q.channel, q.max_deliveries, q.due_from, q.rate, GREATEST(r.allowed_at, clock_timestamp()) AS allowed_at,
        GREATEST(interval '500 milliseconds', interval '1 second' / q.rate) AS burst
      FROM requests q JOIN webhook_rate_limits r ON r.webhook_id = q.id WHERE q.rate IS NOT NULL FOR UPDATE OF r SKIP LOCKED
  ), limits AS (
    SELECT id, channel, due_from, max_deliveries FROM requests WHERE rate IS NULL
    UNION ALL
    SELECT id, channel, due_from,
        GREATEST(0, LEAST(max_deliveries,
          FLOOR(EXTRACT(EPOCH FROM clock_timestamp() + burst - allowed_at) * rate)))::int
      FROM rate_limited
  ), targets AS (
    -- One probe of deliveries_claim_idx for each webhook, so the backlog of one does not slow the others. An index scan
    -- needs a time that does not change during the statement, so it compares with now().
    SELECT due.id, l.id AS webhook_id FROM limits l CROSS JOIN LATERAL (
      SELECT id FROM deliveries
        WHERE webhook_id = l.id AND channel = l.channel AND due_at >= l.due_from AND due_at <= now() AND ${waitingSql}
        ORDER BY due_at LIMIT l.max_deliveries FOR UPDATE SKIP LOCKED) due
  ), updated_rates AS (
    UPDATE webhook_rate_limits r SET allowed_at = rl.allowed_at + n.target_count * interval '1 second' / rl.rate
      FROM rate_limited rl JOIN (SELECT webhook_id, count(*) AS target_count FROM targets GROUP BY 1) n
        ON n.webhook_id = rl.id
      WHERE r.webhook_id = rl.id
  ), d AS (
    -- The planner does not know the limits: it estimates targets by the backlog, and would join whole tables. It
    -- estimates unnest(ARRAY (...)) at ten rows, and so reads each delivery and its event by id.
    UPDATE deliveries SET ${leaseAssignmentsSql}
    FROM unnest(ARRAY (SELECT id FROM targets)) AS t(id) WHERE deliveries.id = t.id RETURNING deliveries.*
  )
  ${leasedTasksSql('SELECT array_agg(id::text) FROM requests WHERE rate IS NOT NULL')}`,
).returns(leasedTaskColumns);

/**
 * `orphans`: leased deliveries whose events were deleted, so that they can never be sent. `idsWithRateLimit`: the ids
 * of those requested webhooks that are not on hold and have a `rate_limit`, which may have withheld deliveries.
 * `leased`: for each webhook, how many deliveries were leased, with orphans, and when the last of them became due.
 */
export type ClaimResult = {
  tasks: DeliveryTask[];
  orphans: Lease[];
  idsWithRateLimit: Set<string>;
  leased: Map<string, { count: number; lastDueAt: string }>;
};

/**
 * Claims due deliveries: leases them for `leaseMs`. `requests` may name each webhook at most once, for one channel.
 */
export async function claimDue(
  db: Database,
  requests: ClaimRequest[],
  { leaseMs }: { leaseMs: number },
): Promise<ClaimResult> {
  return toResult(await claimStatement.rows(db.pool, { requests: claimRecords.encode(requests), leaseMs }));
}

/**
 * Leases for `leaseMs` those of these deliveries that are due, and whose webhooks are neither on hold nor have a rate
 * limit. Otherwise as `claimDue`.
 */
export async function leaseDue(
  db: Database,
  known: KnownDelivery[],
  { leaseMs }: { leaseMs: number },
): Promise<ClaimResult> {
  return toResult(await leaseStatement.rows(db.pool, { known: knownRecords.encode(known), leaseMs }));
}

/** A row with a leased delivery, or without one. */
type LeasedRow = Awaited<ReturnType<typeof leaseStatement.rows>>[number];

const isTask = (row: LeasedRow): row is LeasedRow & TaskRow => row.eventId !== null;

function toResult(rows: LeasedRow[]): ClaimResult {
  const result: ClaimResult = { tasks: [], orphans: [], idsWithRateLimit: new Set(), leased: new Map() };
  for (const row of rows) {
    const { id, webhookId, leasedAt, dueAt } = row;
    for (const limited of row.idsWithRateLimit ?? []) result.idsWithRateLimit.add(limited);
    if (id === null) continue;
    // The columns of the task are null together, or all but those of an event that was deleted.
    if (isTask(row)) result.tasks.push(toTask(row, row));
    else result.orphans.push({ id, leasedAt });
    if (webhookId === null || dueAt === null) continue;
    const { count, lastDueAt } = result.leased.get(webhookId) ?? { count: 0, lastDueAt: dueAt };
    result.leased.set(webhookId, { count: count + 1, lastDueAt: dueAt > lastDueAt ? dueAt : lastDueAt });
  }
  return result;
}
