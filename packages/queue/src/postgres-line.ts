import type pg from 'pg';
import type { Line } from './line.js';
import type { WaitingEvent } from './rounds.js';

// BullMQ takes the lowest "seq" first. It counts upwards from 1, so that places are far below that.
const base = -1_000_000_000_000_000;

// BullMQ takes those with a priority after all others, so that a stream of others would hold them up for ever. One row at
// least, for `first`.
const look = `
  WITH levelled AS (
      UPDATE job SET priority = 0 WHERE queue = $1 AND id = ANY (ARRAY (
        SELECT id FROM job WHERE queue = $1 AND state = 'waiting' AND priority > 0
          ORDER BY priority, seq LIMIT $2 FOR UPDATE SKIP LOCKED))
    ),
    placed AS (
      SELECT (min(seq) - ${base})::float8 AS first
      FROM job WHERE queue = $1 AND state = 'waiting' AND priority = 0 AND seq < ${base / 2}
    ),
    others AS (
      SELECT seq, id, coalesce(data ->> 'account_id', '') AS "accountId", coalesce(data ->> 'webhook_id', '') AS "webhookId"
      FROM job WHERE queue = $1 AND state = 'waiting' AND priority = 0 AND seq > 0 ORDER BY seq LIMIT $2
    )
  SELECT first, id, "accountId", "webhookId" FROM placed LEFT JOIN others ON true ORDER BY seq`;

// Those that a worker takes at this moment, or another one places, are left to it.
const place = `
  WITH placed AS (SELECT * FROM unnest($2::text[], $3::bigint[]) AS placed (id, place)),
    free AS (
      SELECT id FROM job WHERE queue = $1 AND id = ANY ($2) AND state = 'waiting' AND priority = 0 AND seq > 0
      FOR UPDATE SKIP LOCKED
    )
  UPDATE job SET seq = ${base} + placed.place FROM placed JOIN free USING (id) WHERE job.queue = $1 AND job.id = placed.id`;

type Row = { first: number | null; id: string | null; accountId: string; webhookId: string };

/** The line of a queue in BullMQ's tables, which the pool's connections find by their search path. */
export function openPostgresLine(open: () => pg.Pool, queue: string): Line {
  return {
    async look({ least, most }) {
      const { rows } = await open().query<Row>(look, [queue, most]);
      const first = rows[0]?.first ?? null;
      const events = rows.filter((row): row is Row & WaitingEvent => row.id !== null);
      return { events: events.length < least && first === null ? [] : events, first };
    },
    async place(places) {
      const { rowCount } = await open().query(place, [queue, [...places.keys()], [...places.values()]]);
      return rowCount ?? 0;
    },
  };
}
