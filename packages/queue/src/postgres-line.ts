import type pg from 'pg';
import type { Line } from './line.js';

// BullMQ takes the lowest priority first, and those without one before all others.
const look = `
  SELECT id, coalesce(data ->> 'account_id', '') AS "accountId", coalesce(data ->> 'webhook_id', '') AS "webhookId",
    (SELECT min(priority) FROM job WHERE queue = $1 AND state = 'waiting' AND priority > 0) AS first
  FROM job WHERE queue = $1 AND state = 'waiting' AND priority = 0 ORDER BY seq LIMIT $2`;

// Those that a worker takes at this moment, or another one places, are left to it.
const place = `
  WITH placed AS (SELECT * FROM unnest($2::text[], $3::integer[]) AS placed (id, place)),
    free AS (
      SELECT id FROM job WHERE queue = $1 AND id = ANY ($2) AND state = 'waiting' AND priority = 0
      FOR UPDATE SKIP LOCKED
    )
  UPDATE job SET priority = placed.place FROM placed JOIN free USING (id) WHERE job.queue = $1 AND job.id = placed.id`;

type Row = { id: string; accountId: string; webhookId: string; first: number | null };

/** The line of a queue in BullMQ's tables, which the pool's connections find by their search path. */
export function openPostgresLine(open: () => pg.Pool, queue: string): Line {
  return {
    async look({ least, most }) {
      const { rows } = await open().query<Row>(look, [queue, most]);
      return { events: rows.length < least ? [] : rows, first: rows[0]?.first ?? null };
    },
    async place(places) {
      await open().query(place, [queue, [...places.keys()], [...places.values()]]);
    },
  };
}
