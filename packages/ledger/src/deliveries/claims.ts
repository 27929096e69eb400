import type { Database } from '../connection/database.js';
import { defineRecords } from '../sql/records.js';
import { pausedSql } from '../webhooks/pauses.js';
import {
  type DeliveryTask,
  taskColumns,
  taskColumnsSql,
  taskJoinsSql,
  type TaskRow,
  toTask,
} from './delivery-tasks.js';
import { waitingSql, type DueKey } from './due.js';
import type { Lease } from './leases.js';
import { allOrNull, arrayOf, text } from '../sql/columns.js';
import { preparedStatement } from '../sql/statement.js';

/** A request for at most `limit` deliveries of a webhook and channel. */
export type ClaimRequest = Pick<DueKey, 'webhookId' | 'channel'> & { limit: number };

const claimRecords = defineRecords<ClaimRequest>({
  id: ['uuid', ({ webhookId }) => webhookId],
  channel: ['text', ({ channel }) => channel],
  max_deliveries: ['int', ({ limit }) => limit],
});

/**
 * Leases the most overdue deliveries of each requested webhook and channel. It leaves out paused webhooks, and rows
 * that another worker has locked. It returns a row for each delivery, or one row if there is none.
 *
 * A rate limit is a GCRA (generic cell rate algorithm): `allowed_at` in `webhook_rate_limits`, which all workers share, is
 * its theoretical arrival time (TAT): when the leased deliveries will have used up their share. It may be ahead of the
 * clock by a burst: 500 ms or the interval of one callback, whichever is longer. So a worker that claims only a few
 * times a second can reach the limit. While another worker has locked the row, nothing of this webhook is leased.
 *
 * Each webhook has its own probe of `deliveries_claim_idx`, so the backlog of one webhook does not slow the others. The
 * condition compares with `now()`, because an index scan needs a time that does not change during the statement. OFFSET
 * 0 keeps the planner from turning the read of each webhook by its id into a join.
 *
 * The planner does not know the limits, so it estimates `targets` by the backlog, and would read whole tables to join
 * it. It estimates `unnest(ARRAY (…))` at ten rows, so it reads each delivery and its event by their ids.
 */
const claimStatement = preparedStatement<{ requests: string; leaseMs: number }>(
  'claim_due',
  `WITH requests AS (
    SELECT c.id, c.channel, c.max_deliveries, w.rate_limit AS rate
      FROM ${claimRecords.from('$requests', 'c')}
      CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = c.id OFFSET 0) w WHERE NOT (${pausedSql})
  ), new_rates AS (
    -- The rest of the statement does not see these rows. So the first claim leases nothing of such a webhook.
    INSERT INTO webhook_rate_limits (webhook_id, allowed_at) SELECT q.id, clock_timestamp() FROM requests q
      WHERE q.rate IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_rate_limits r WHERE r.webhook_id = q.id) ORDER BY q.id
      ON CONFLICT DO NOTHING
  ), rate_limited AS (
    SELECT q.id, q.channel, q.max_deliveries, q.rate, GREATEST(r.allowed_at, clock_timestamp()) AS allowed_at,
        GREATEST(interval '500 milliseconds', interval '1 second' / q.rate) AS burst
      FROM requests q JOIN webhook_rate_limits r ON r.webhook_id = q.id WHERE q.rate IS NOT NULL FOR UPDATE OF r SKIP LOCKED
  ), limits AS (
    SELECT id, channel, max_deliveries FROM requests WHERE rate IS NULL
    UNION ALL
    SELECT id, channel,
        GREATEST(0, LEAST(max_deliveries,
          FLOOR(EXTRACT(EPOCH FROM clock_timestamp() + burst - allowed_at) * rate)))::int
      FROM rate_limited
  ), targets AS (
    SELECT due.id, l.id AS webhook_id FROM limits l CROSS JOIN LATERAL (
      SELECT id FROM deliveries
        WHERE webhook_id = l.id AND channel = l.channel AND due_at <= now() AND ${waitingSql}
        ORDER BY due_at LIMIT l.max_deliveries FOR UPDATE SKIP LOCKED) due
  ), updated_rates AS (
    UPDATE webhook_rate_limits r SET allowed_at = rl.allowed_at + n.target_count * interval '1 second' / rl.rate
      FROM rate_limited rl JOIN (SELECT webhook_id, count(*) AS target_count FROM targets GROUP BY 1) n
        ON n.webhook_id = rl.id
      WHERE r.webhook_id = rl.id
  ), d AS (
    UPDATE deliveries SET updated_at = clock_timestamp(), leased_at = clock_timestamp(),
      lease_expires_at = clock_timestamp() + $leaseMs::float8 * interval '1 millisecond'
    FROM unnest(ARRAY (SELECT id FROM targets)) AS t(id) WHERE deliveries.id = t.id RETURNING deliveries.*
  )
  SELECT CASE WHEN row_number() OVER () = 1 THEN (SELECT array_agg(id::text) FROM requests WHERE rate IS NOT NULL) END
      AS "idsWithRateLimit", task.*
    FROM (VALUES (0)) AS one LEFT JOIN (SELECT ${taskColumnsSql} FROM d ${taskJoinsSql('LEFT JOIN')}) task ON true`,
).returns({ idsWithRateLimit: arrayOf(text).orNull, ...allOrNull(taskColumns) });

/**
 * `orphans`: leased deliveries whose events were deleted, so that they can never be sent. `idsWithRateLimit`: the ids of
 * those requested webhooks that are not paused and have a `rate_limit`, which may have withheld deliveries.
 */
export type ClaimResult = { tasks: DeliveryTask[]; orphans: Lease[]; idsWithRateLimit: Set<string> };

/**
 * Claims due deliveries: leases them for `leaseMs`. `requests` may name each webhook at most once, for one channel.
 */
export async function claimDue(
  db: Database,
  requests: ClaimRequest[],
  { leaseMs }: { leaseMs: number },
): Promise<ClaimResult> {
  const rows = await claimStatement.rows(db.pool, { requests: claimRecords.encode(requests), leaseMs });
  const tasks: DeliveryTask[] = [];
  const orphans: Lease[] = [];
  const idsWithRateLimit = new Set<string>();
  for (const row of rows) {
    const { idsWithRateLimit: ids, ...rest } = row;
    for (const id of ids ?? []) idsWithRateLimit.add(id);
    if (rest.id === null) continue;
    // The columns of the task are null together, or all but those of an event that was deleted.
    if (rest.eventId !== null) tasks.push(toTask(rest as TaskRow));
    else orphans.push({ id: rest.id, leasedAt: rest.leasedAt });
  }
  return { tasks, orphans, idsWithRateLimit };
}
