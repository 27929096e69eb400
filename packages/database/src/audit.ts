import type { Channel } from '@ringback/callbacks';
import type { Database } from './open.js';

export type AuditCounts = {
  events: { accepted: number; routed: number; unrouted: number; rejected: number };
  deliveries: { pending: number; delivered: number; failed: number; skipped: number };
  /** Of the pending ones: how many wait, without a job, for their webhook to have fewer calls in flight. */
  parked: number;
};

/** Something that is outside the sum: which row, and what is wrong with it. */
export type Finding = { kind: 'event' | 'delivery'; id: string; problem: string };

const counts = `SELECT
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM events WHERE received_at >= $1 GROUP BY 1) e) AS events,
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM deliveries WHERE created_at >= $1 GROUP BY 1) d)
      AS deliveries,
    (SELECT count(*)::int FROM deliveries WHERE created_at >= $1 AND parked_at IS NOT NULL) AS parked`;

type CountRow = {
  events: Partial<Record<'routed' | 'unrouted' | 'rejected', number>> | null;
  deliveries: Partial<AuditCounts['deliveries']> | null;
  parked: number;
};

/** How many events came since a time and what became of them, and the same of their deliveries. */
export async function countLedger(db: Database, since: Date): Promise<AuditCounts> {
  const { rows } = await db.pool.query<CountRow>(counts, [since]);
  const events = { routed: 0, unrouted: 0, rejected: 0, ...rows[0]?.events };
  const deliveries = { pending: 0, delivered: 0, failed: 0, skipped: 0, ...rows[0]?.deliveries };
  const accepted = events.routed + events.unrouted + events.rejected;
  return { events: { accepted, ...events }, deliveries, parked: rows[0]?.parked ?? 0 };
}

const findings = `
  SELECT 'event' AS kind, e.id, 'routed, but has no delivery' AS problem FROM events e
    WHERE e.received_at >= $1 AND e.state = 'routed' AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
  UNION ALL
  SELECT 'event', e.id, e.state || ', but has a delivery' FROM events e
    WHERE e.received_at >= $1 AND e.state <> 'routed' AND EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
  UNION ALL
  SELECT 'delivery', d.id, 'pending, and overdue by more than a minute' FROM deliveries d
    WHERE d.created_at >= $1 AND d.state = 'pending' AND d.parked_at IS NULL
      AND d.next_attempt_at < clock_timestamp() - interval '1 minute'
  UNION ALL
  SELECT 'delivery', d.id, 'pending, and its worker is gone for more than a minute' FROM deliveries d
    WHERE d.created_at >= $1 AND d.state = 'pending' AND d.leased AND d.parked_at < clock_timestamp() - interval '1 minute'
  UNION ALL
  SELECT 'delivery', d.id, 'counts ' || d.attempts || ' attempts, of which ' || a.n || ' are recorded'
    FROM deliveries d CROSS JOIN LATERAL (SELECT count(*) AS n FROM attempts a WHERE a.delivery_id = d.id) a
    WHERE d.created_at >= $1 AND d.attempts <> a.n
  UNION ALL
  SELECT 'delivery', d.id, d.state || ' without an attempt' FROM deliveries d
    WHERE d.created_at >= $1 AND d.state IN ('delivered', 'failed') AND d.attempts = 0 AND d.reason IS NULL
  LIMIT $2`;

/** What is outside the sum, at most `limit` findings. */
export async function findLedgerFaults(
  db: Database,
  { since, limit }: { since: Date; limit: number },
): Promise<Finding[]> {
  const { rows } = await db.pool.query<Finding>(findings, [since, limit]);
  return rows;
}

/** A pending delivery that should have a job: it was not touched for some seconds, so nobody has it in hand. */
export async function listSettledPending(
  db: Database,
  { channel, settledMs, since }: { channel: Channel; settledMs: number; since: Date },
): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM deliveries WHERE state = 'pending' AND parked_at IS NULL AND channel = $1
      AND updated_at < clock_timestamp() - $2::float8 * interval '1 millisecond' AND created_at >= $3`,
    [channel, settledMs, since],
  );
  return rows.map(({ id }) => id);
}

/** Those of the ids that no delivery has. */
export async function findUnknownDeliveries(db: Database, ids: string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT i.id::text FROM unnest($1::uuid[]) AS i(id) WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = i.id)`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
