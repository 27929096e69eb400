import type { Database } from '../connection/open.js';
import { findDroppedEdges } from '../maintenance/partitions.js';
import { unpreparedStatement } from '../sql/statement.js';
import { pausedSql } from '../webhooks/pausing.js';
import { idAt } from '../sql/uuid.js';

/** The numbers of rows by state. `total` includes rejected events. */
export type LedgerCounts = {
  events: { total: number; routed: number; unrouted: number; rejected: number };
  deliveries: { pending: number; delivered: number; failed: number; skipped: number };
  /** The number of pending deliveries that are leased. */
  leased: number;
};

/** A problem that the audit found. */
export type Finding = {
  kind: 'event' | 'delivery' | 'statistics' | 'verification' | 'queue';
  /** The id of the row, the name of the queue, or for statistics the id of the webhook or account. */
  id: string;
  problem: string;
};

const countsSql = `SELECT
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM events WHERE received_at >= $1 GROUP BY 1) e) AS events,
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM deliveries WHERE created_at >= $1 GROUP BY 1) d)
      AS deliveries,
    (SELECT count(*)::int FROM deliveries WHERE created_at >= $1 AND lease_expires_at IS NOT NULL) AS leased`;

type CountRow = {
  events: Partial<Record<'routed' | 'unrouted' | 'rejected', number>> | null;
  deliveries: Partial<LedgerCounts['deliveries']> | null;
  leased: number;
};

/** Counts the events and deliveries that were stored since a time, by state. */
export async function countLedger(db: Database, since: Date): Promise<LedgerCounts> {
  const { rows } = await db.pool.query<CountRow>(countsSql, [since]);
  const events = { routed: 0, unrouted: 0, rejected: 0, ...rows[0]?.events };
  const deliveries = { pending: 0, delivered: 0, failed: 0, skipped: 0, ...rows[0]?.deliveries };
  const total = events.routed + events.unrouted + events.rejected;
  return { events: { total, ...events }, deliveries, leased: rows[0]?.leased ?? 0 };
}

// Near the edge of a dropped partition, an event may be kept although its deliveries are dropped, or the reverse.
const isAwayFromEdgesSql = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM unnest($lowIds::uuid[], $highIds::uuid[]) AS edge(low, high) WHERE ${id} BETWEEN low AND high)`;

type FindingParameters = { since: Date; sinceId: string; limit: number; lowIds: string[]; highIds: string[] };

const findingsStatement = unpreparedStatement<FindingParameters>(`
  SELECT 'event' AS kind, e.id, 'routed, but has no delivery' AS problem FROM events e
    WHERE e.received_at >= $since AND e.state = 'routed' AND ${isAwayFromEdgesSql('e.id')} AND NOT EXISTS (
      SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
  UNION ALL
  SELECT 'event', e.id, 'was given ' || e.delivery_count || ' deliveries, of which ' || d.n || ' are there'
    FROM events e JOIN (SELECT event_id, count(*) AS n FROM deliveries GROUP BY 1) d ON d.event_id = e.id
    WHERE e.received_at >= $since AND e.state = 'routed' AND e.delivery_count <> d.n AND ${isAwayFromEdgesSql('e.id')}
  UNION ALL
  SELECT 'event', e.id, e.state || ', but has a delivery' FROM events e
    WHERE e.received_at >= $since AND e.state <> 'routed' AND EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
  UNION ALL
  SELECT 'event', k.event_id, 'was accepted, and is gone' FROM event_keys k
    WHERE k.event_id >= $sinceId AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event_id)
  UNION ALL
  SELECT 'delivery', d.id, 'its event is gone' FROM deliveries d
    WHERE d.created_at >= $since AND ${isAwayFromEdgesSql('d.event_id')} AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = d.event_id)
  UNION ALL
  SELECT 'delivery', d.id, 'pending, and nothing was done for its webhook for five minutes' FROM deliveries d
    JOIN (SELECT DISTINCT webhook_id FROM deliveries
      WHERE due_at < now() - interval '5 minutes' AND lease_expires_at IS NULL) late ON late.webhook_id = d.webhook_id
    JOIN webhooks w ON w.id = d.webhook_id AND NOT (${pausedSql})
    WHERE d.created_at >= $since AND d.due_at < now() - interval '5 minutes' AND d.lease_expires_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM deliveries o WHERE o.webhook_id = d.webhook_id AND o.updated_at > now() - interval '5 minutes'
        AND (o.lease_expires_at IS NOT NULL OR o.attempt_count > 0))
  UNION ALL
  SELECT 'delivery', d.id, 'pending, and its worker is gone for more than a minute' FROM deliveries d
    WHERE d.created_at >= $since AND d.lease_expires_at < now() - interval '1 minute'
  UNION ALL
  SELECT 'delivery', d.id, 'counts ' || d.attempt_count || ' attempts, of which ' || a.n || ' are recorded'
    FROM deliveries d CROSS JOIN LATERAL (SELECT count(*) AS n FROM attempts a WHERE a.delivery_id = d.id) a
    WHERE d.created_at >= $since AND d.attempt_count <> a.n
  UNION ALL
  SELECT 'delivery', a.delivery_id, 'has attempts, and is gone' FROM attempts a
    WHERE a.started_at >= $since AND a.number = 1 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = a.delivery_id)
  UNION ALL
  SELECT 'delivery', d.id, d.state || ' without an attempt' FROM deliveries d
    WHERE d.created_at >= $since AND d.state IN ('delivered', 'failed') AND d.attempt_count = 0 AND d.reason IS NULL
  UNION ALL
  SELECT 'verification', v.id, 'pending, and overdue by more than a minute' FROM verifications v
    WHERE v.created_at >= $since AND v.state = 'pending' AND v.next_attempt_at < clock_timestamp() - interval '1 minute'
  LIMIT $limit`);

// The id of an event and those of its deliveries contain times of different clocks, which may differ by this much.
const maxApartMs = 60_000;

/**
 * Finds contradictions in the ledger since a time, and deliveries and verifications that have waited too long. Returns
 * at most `limit` findings.
 */
export async function checkLedger(db: Database, { since, limit }: { since: Date; limit: number }): Promise<Finding[]> {
  const edges = await findDroppedEdges(db);
  const edgeIds = (ms: number) => edges.map((edge) => idAt(new Date(edge.getTime() + ms)));
  const bounds = { lowIds: edgeIds(-maxApartMs), highIds: edgeIds(maxApartMs) };
  const { rows } = await db.pool.query<Finding>(findingsStatement({ since, sinceId: idAt(since), limit, ...bounds }));
  return rows;
}
