import type { Database } from './connection/database.js';
import { waitingByTimeSql } from './deliveries/due.js';
import { findDroppedEdges } from './partitions.js';
import { idAt } from './sql/ids.js';
import { onHoldSql } from './webhooks/pauses.js';
import { integer, json, uuid } from './sql/columns.js';
import { statement } from './sql/statement.js';

/** The numbers of rows by state. `total` includes rejected events. */
export type LedgerCounts = {
  events: { total: number; routed: number; unrouted: number; rejected: number };
  deliveries: { pending: number; delivered: number; failed: number; skipped: number };
  /** The number of pending deliveries that are leased. */
  leased: number;
};

const countsStatement = statement<{ since: Date }>(`SELECT
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM events WHERE received_at >= $since GROUP BY 1) e)
      AS events,
    (SELECT json_object_agg(state, n) FROM (SELECT state, count(*) AS n FROM deliveries WHERE created_at >= $since GROUP BY 1) d)
      AS deliveries,
    (SELECT count(*)::int FROM deliveries WHERE created_at >= $since AND lease_expires_at IS NOT NULL) AS leased`).returns(
  {
    events: json<Partial<LedgerCounts['events']>>().orNull,
    deliveries: json<Partial<LedgerCounts['deliveries']>>().orNull,
    leased: integer,
  },
);

/** Counts the events and deliveries that were stored since a time, by state. */
export async function countLedger(db: Database, since: Date): Promise<LedgerCounts> {
  const row = await countsStatement.row(db.pool, { since });
  const events = { routed: 0, unrouted: 0, rejected: 0, ...row?.events };
  const deliveries = { pending: 0, delivered: 0, failed: 0, skipped: 0, ...row?.deliveries };
  const total = events.routed + events.unrouted + events.rejected;
  return { events: { total, ...events }, deliveries, leased: row?.leased ?? 0 };
}

export type Finding = {
  kind: 'event' | 'delivery' | 'verification' | 'queue';
  /** The id of the row, or the name of the queue. */
  id: string;
  problem: string;
};

type Check = {
  kind: 'event' | 'delivery' | 'verification';
  /** What is wrong with a row that the check finds. `{…}` stands for a column of the statement's result. */
  problem: string;
  /**
   * Selects `id` and the columns that the problem names. `$since` and `$sinceId` are the time to check from, and the
   * lowest id of that time.
   */
  sql: string;
};

// Near the edge of a dropped partition, an event may be kept although its deliveries are dropped, or the reverse.
const isAwayFromEdgesSql = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM unnest($lowIds::uuid[], $highIds::uuid[]) AS edge(low, high) WHERE ${id} BETWEEN low AND high)`;

/** Contradictions in the ledger, and deliveries and verifications that have waited too long. */
const checks: Record<string, Check> = {
  eventWithoutDelivery: {
    kind: 'event',
    problem: 'routed, but has no delivery',
    sql: `SELECT e.id FROM events e
      WHERE e.received_at >= $since AND e.state = 'routed' AND ${isAwayFromEdgesSql('e.id')}
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)`,
  },
  eventWithOtherDeliveryCount: {
    kind: 'event',
    problem: 'was given {given} deliveries, of which {found} are there',
    sql: `SELECT e.id, e.delivery_count AS given, d.n AS found
      FROM events e JOIN (SELECT event_id, count(*) AS n FROM deliveries GROUP BY 1) d ON d.event_id = e.id
      WHERE e.received_at >= $since AND e.state = 'routed' AND e.delivery_count <> d.n AND ${isAwayFromEdgesSql('e.id')}`,
  },
  unroutedEventWithDelivery: {
    kind: 'event',
    problem: '{state}, but has a delivery',
    sql: `SELECT e.id, e.state FROM events e WHERE e.received_at >= $since AND e.state <> 'routed'
      AND EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)`,
  },
  lostEvent: {
    kind: 'event',
    problem: 'was accepted, and is gone',
    sql: `SELECT k.event_id AS id FROM event_keys k
      WHERE k.event_id >= $sinceId AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event_id)`,
  },
  deliveryWithoutEvent: {
    kind: 'delivery',
    problem: 'its event is gone',
    sql: `SELECT d.id FROM deliveries d WHERE d.created_at >= $since AND ${isAwayFromEdgesSql('d.event_id')}
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = d.event_id)`,
  },
  lateDelivery: {
    kind: 'delivery',
    problem: 'pending, and nothing was done for its webhook for five minutes',
    sql: `SELECT d.id FROM deliveries d
      JOIN (SELECT DISTINCT webhook_id FROM deliveries
        WHERE due_at < now() - interval '5 minutes' AND ${waitingByTimeSql}) late ON late.webhook_id = d.webhook_id
      JOIN webhooks w ON w.id = d.webhook_id AND NOT ${onHoldSql}
      WHERE d.created_at >= $since AND d.due_at < now() - interval '5 minutes' AND d.lease_expires_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.webhook_id = d.webhook_id
          AND o.updated_at > now() - interval '5 minutes' AND (o.lease_expires_at IS NOT NULL OR o.attempt_count > 0))`,
  },
  expiredLease: {
    kind: 'delivery',
    problem: 'pending, and its worker is gone for more than a minute',
    sql: `SELECT d.id FROM deliveries d
      WHERE d.created_at >= $since AND d.lease_expires_at < now() - interval '1 minute'`,
  },
  otherAttemptCount: {
    kind: 'delivery',
    problem: 'counts {counted} attempts, of which {found} are recorded',
    sql: `SELECT d.id, d.attempt_count AS counted, a.n AS found
      FROM deliveries d CROSS JOIN LATERAL (SELECT count(*) AS n FROM attempts a WHERE a.delivery_id = d.id) a
      WHERE d.created_at >= $since AND d.attempt_count <> a.n`,
  },
  lostDelivery: {
    kind: 'delivery',
    problem: 'has attempts, and is gone',
    sql: `SELECT a.delivery_id AS id FROM attempts a WHERE a.started_at >= $since AND a.number = 1
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = a.delivery_id)`,
  },
  endedWithoutAttempt: {
    kind: 'delivery',
    problem: '{state} without an attempt',
    sql: `SELECT d.id, d.state FROM deliveries d WHERE d.created_at >= $since AND d.state IN ('delivered', 'failed')
      AND d.attempt_count = 0 AND d.reason IS NULL`,
  },
  lateVerification: {
    kind: 'verification',
    problem: 'pending, and overdue by more than a minute',
    sql: `SELECT v.id FROM verifications v WHERE v.created_at >= $since AND v.state = 'pending'
      AND v.next_attempt_at < clock_timestamp() - interval '1 minute'`,
  },
};

type CheckParameters = { since: Date; sinceId: string; limit: number; lowIds: string[]; highIds: string[] };

// The id of an event and those of its deliveries contain times of different clocks, which may differ by this much.
const maxApartMs = 60_000;

const checkStatements = Object.values(checks).map(({ sql, ...check }) => {
  const limitedSql = `SELECT id, to_json(c) AS row FROM (${sql}) c LIMIT $limit`;
  const columns = { id: uuid, row: json<Record<string, unknown>>() };
  return { ...check, statement: statement<CheckParameters>(limitedSql).returns(columns) };
});

/** Runs all checks for the time since `since`. Each returns at most `limit` findings. */
export async function checkLedger(db: Database, { since, limit }: { since: Date; limit: number }): Promise<Finding[]> {
  const edges = await findDroppedEdges(db);
  const edgeIds = (ms: number) => edges.map((edge) => idAt(new Date(edge.getTime() + ms)));
  const bounds = { lowIds: edgeIds(-maxApartMs), highIds: edgeIds(maxApartMs) };
  const findings: Finding[] = [];
  for (const { kind, problem, statement } of checkStatements) {
    const found = await statement.rows(db.pool, { since, sinceId: idAt(since), limit, ...bounds });
    findings.push(...found.map(({ id, row }) => ({ kind, id, problem: fill(problem, row) })));
  }
  return findings;
}

const fill = (problem: string, row: Record<string, unknown>) =>
  problem.replace(/\{(\w+)\}/g, (_, name: string) => String(row[name]));

const idlePendingStatement = statement<{ minIdleMs: number; since: Date }>(
  `SELECT id FROM verifications WHERE state = 'pending'
    AND updated_at < clock_timestamp() - $minIdleMs::float8 * interval '1 millisecond' AND created_at >= $since`,
).returns({ id: uuid });

/**
 * The ids of pending verifications that were created since a time and were not updated for `minIdleMs`, so that no
 * worker should be processing them. Each should have a job in the verification queue.
 */
export async function listIdlePendingVerifications(
  db: Database,
  idle: { minIdleMs: number; since: Date },
): Promise<string[]> {
  return (await idlePendingStatement.rows(db.pool, idle)).map(({ id }) => id);
}

const unknownIdsStatement = statement<{ ids: string[] }>(`SELECT i.id FROM unnest($ids::uuid[]) AS i(id)
  WHERE NOT EXISTS (SELECT 1 FROM verifications v WHERE v.id = i.id)`).returns({ id: uuid });

/** Returns those of the given ids that no verification has. */
export async function findUnknownVerifications(db: Database, ids: string[]): Promise<string[]> {
  return (await unknownIdsStatement.rows(db.pool, { ids })).map(({ id }) => id);
}
