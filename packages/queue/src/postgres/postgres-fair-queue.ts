import type pg from 'pg';
import type { FairQueue } from '../event-queue/fair-queue.js';
import type { WaitingJob } from '../event-queue/round-robin.js';

// BullMQ fetches the job with the lowest "seq" first. It numbers jobs 1, 2, …, and jobs with the option `lifo`
// negatively (-3). A position is stored as `seqBase` + position, which is below all of BullMQ's numbers.
const seqBase = -1_000_000_000_000_000;

// BullMQ fetches jobs with a priority after all others, so a constant stream of other jobs would delay them for ever.
// The statement therefore removes priorities. Each row of the result has the lowest position and one job; without jobs,
// there is one row whose `id` is null. The statement uses BullMQ's index of waiting jobs.
const peekSql = `
  WITH without_priority AS (
      UPDATE job SET priority = 0 WHERE queue = $1 AND id = ANY (ARRAY (
        SELECT id FROM job WHERE queue = $1 AND state = 'waiting' AND priority > 0
          ORDER BY priority, seq LIMIT $2 FOR UPDATE SKIP LOCKED))
    ),
    with_position AS (
      SELECT (min(seq) - ${seqBase})::float8 AS "lowestPosition"
      FROM job WHERE queue = $1 AND state = 'waiting' AND priority = 0 AND seq < ${seqBase / 2}
    ),
    without_position AS (
      SELECT seq, id, coalesce(data ->> 'account_id', '') AS "accountId",
        coalesce(data ->> 'webhook_id', '') AS "webhookId"
      FROM job WHERE queue = $1 AND state = 'waiting' AND priority = 0 AND seq > 0 ORDER BY seq LIMIT $2
    )
  SELECT "lowestPosition", id, "accountId", "webhookId"
  FROM with_position LEFT JOIN without_position ON true ORDER BY seq`;

// Leaves out jobs that another worker has fetched, reordered or locked.
const reorderSql = `
  WITH positions AS (SELECT * FROM unnest($2::text[], $3::bigint[]) AS p(id, position)),
    waiting AS (
      SELECT id FROM job WHERE queue = $1 AND id = ANY ($2) AND state = 'waiting' AND priority = 0 AND seq > 0
      FOR UPDATE SKIP LOCKED
    )
  UPDATE job SET seq = ${seqBase} + positions.position FROM positions JOIN waiting USING (id)
    WHERE job.queue = $1 AND job.id = positions.id`;

type Row = { lowestPosition: number | null; id: string | null; accountId: string; webhookId: string };

/**
 * Creates the fair queue of an event queue in PostgreSQL. The search path of the pool's connections names BullMQ's
 * schema.
 */
export function createPostgresFairQueue(getPool: () => pg.Pool, queue: string): FairQueue {
  return {
    async peek({ min, max }) {
      const { rows } = await getPool().query<Row>(peekSql, [queue, max]);
      const lowestPosition = rows[0]?.lowestPosition ?? null;
      const jobs = rows.filter((row): row is Row & WaitingJob => row.id !== null);
      return { jobs: jobs.length < min && lowestPosition === null ? [] : jobs, lowestPosition };
    },
    async reorder(positions) {
      const { rowCount } = await getPool().query(reorderSql, [queue, [...positions.keys()], [...positions.values()]]);
      return rowCount ?? 0;
    },
  };
}
