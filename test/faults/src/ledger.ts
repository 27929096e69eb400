import type { LedgerDelivery } from './check.js';
import type { PostgresServer } from './postgres-server.js';

type Where = { postgres: PostgresServer; database: string };

const deliveriesSql = `SELECT d.id, e.message_id AS message, d.channel, d.state, d.reason, d.attempt_count AS attempts,
    ARRAY(SELECT a.number FROM attempts a WHERE a.delivery_id = d.id ORDER BY 1) AS recorded,
    ARRAY(SELECT a.number FROM attempts a WHERE a.delivery_id = d.id AND a.outcome <> 'response') AS unanswered
  FROM deliveries d JOIN events e ON e.id = d.event_id`;

/** Reads all deliveries with the numbers of their attempts. */
export function readDeliveries({ postgres, database }: Where): Promise<LedgerDelivery[]> {
  return postgres.query<LedgerDelivery>(database, deliveriesSql);
}

export type Counts = { rejected: number; pending: number; delivered: number; attempts: number };

const countsSql = `SELECT
  (SELECT count(*)::int FROM events WHERE state = 'rejected') AS rejected,
  (SELECT count(*)::int FROM deliveries WHERE state = 'pending') AS pending,
  (SELECT count(*)::int FROM deliveries WHERE state = 'delivered') AS delivered,
  (SELECT count(*)::int FROM attempts) AS attempts`;

/** Counts rejected events, pending and delivered deliveries, and attempts. */
export async function readCounts({ postgres, database }: Where): Promise<Counts> {
  const [row] = await postgres.query<Counts>(database, countsSql);
  if (row === undefined) throw new Error('the count returned no row');
  return row;
}

const missingSql = `SELECT count(*)::int AS missing
  FROM (SELECT unnest($1::text[]) EXCEPT SELECT message_id FROM events) AS m`;

/** Counts the message ids that have no event. */
export async function countMissing({ postgres, database }: Where, messages: string[]): Promise<number> {
  const [row] = await postgres.query<{ missing: number }>(database, missingSql, [messages]);
  return row?.missing ?? messages.length;
}
