import type { Database } from './open.js';
import { defineRecords } from './json-records.js';
import { unpreparedStatement } from './statement.js';
import { type CodeCounts, type CountedCodes, sumLists } from './statistic-codes.js';
import { type BucketRange, type Resolution, splitRange } from './statistic-ranges.js';
import { type StatisticFilter, unfoldedRows } from './statistics.js';

/** The results of a webhook in a bucket. */
type BucketOfWebhook = { start: Date; delivered: number; failed: number };

/** The counts of a webhook in a range, and its results in each bucket that is not empty. */
export type WebhookStatistics = {
  id: string;
  name: string;
  counts: CodeCounts;
  buckets: BucketOfWebhook[];
};

type Parameters = {
  accountId: string;
  webhookIds: readonly string[] | null;
  event: string | null;
  /** The length of the buckets. */
  resolution: Resolution;
  from: Date;
  to: Date;
  /** Parts of the range, encoded by `partRecords`. */
  parts: string;
  limit: number;
};

const partRecords = defineRecords<BucketRange>({
  resolution: ['text', ({ resolution }) => resolution],
  starts_at: ['timestamptz', ({ from }) => from],
  ends_at: ['timestamptz', ({ to }) => to],
});

const rowsOf = (id: string) => `FROM parts p CROSS JOIN LATERAL (SELECT * FROM statistics
        WHERE subject_id = ${id} AND resolution = p.resolution AND start >= p.starts_at AND start < p.ends_at
          AND ($event::text IS NULL OR event = $event) OFFSET 0) s`;

/** A row for each webhook and bucket, at least one for each webhook. The primary key is read for each webhook and part. */
const webhooks = unpreparedStatement<Parameters>(`
  WITH parts AS (
    SELECT * FROM ${partRecords.from('$parts')}
  ), unfolded AS MATERIALIZED (
    ${unfoldedRows}
  ), unfolded_sums AS MATERIALIZED (
    SELECT webhook_id, sum(delivered) AS delivered, sum(failed) AS failed FROM unfolded GROUP BY 1
  ), ranked AS MATERIALIZED (
    SELECT w.id, w.name, f.failed + COALESCE(u.failed, 0) AS failed, f.delivered + COALESCE(u.delivered, 0) AS delivered
      FROM webhooks w CROSS JOIN LATERAL (
        SELECT COALESCE(sum(s.failed), 0) AS failed, COALESCE(sum(s.delivered), 0) AS delivered ${rowsOf('w.id')}) f
      LEFT JOIN unfolded_sums u ON u.webhook_id = w.id
      WHERE w.account_id = $accountId AND w.deleted_at IS NULL
        AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
      ORDER BY 3 DESC, 4 DESC, 1 LIMIT $limit
  ), found AS (
    SELECT r.id, date_trunc($resolution, s.start, 'UTC') AS start, s.delivered, s.failed, s.codes, s.counts
      FROM ranked r CROSS JOIN LATERAL (SELECT s.* ${rowsOf('r.id')}) s
    UNION ALL
    SELECT webhook_id, start, delivered, failed, codes, counts FROM unfolded WHERE webhook_id IN (SELECT id FROM ranked)
  ), buckets AS (
    SELECT id, start, sum(delivered)::int AS delivered, sum(failed)::int AS failed, json_agg(codes) AS codes,
        json_agg(counts) AS counts FROM found GROUP BY 1, 2
  )
  SELECT r.id, r.name, b.start, b.delivered, b.failed, b.codes, b.counts FROM ranked r LEFT JOIN buckets b ON b.id = r.id
    ORDER BY r.failed DESC, r.delivered DESC, r.id`);

type Row = { id: string; name: string } & ((BucketOfWebhook & CountedCodes) | { start: null });

type WebhooksRequest = {
  range: BucketRange;
  /** The length of the buckets in the result; at least that of the range. */
  resolution: Resolution;
  filter: StatisticFilter;
  limit: number;
};

/** The statistics of the account's live webhooks in a range, those with the most failures first. */
export async function readWebhookStatistics(
  db: Database,
  accountId: string,
  { range, resolution, filter, limit }: WebhooksRequest,
): Promise<WebhookStatistics[]> {
  const { event = null, webhookIds = null } = filter;
  const parts = partRecords.encode(splitRange(range, resolution));
  const { from, to } = range;
  const asked = webhooks({ accountId, event, webhookIds, resolution, from, to, parts, limit });
  const { rows } = await db.pool.query<Row>(asked);
  const byId = new Map<string, { name: string; rows: Row[] }>();
  for (const row of rows) {
    const known = byId.get(row.id) ?? { name: row.name, rows: [] };
    known.rows.push(row);
    byId.set(row.id, known);
  }
  return [...byId].map(([id, { name, rows: ofWebhook }]) => ({ id, name, ...sumRows(ofWebhook) }));
}

function sumRows(rows: Row[]): Pick<WebhookStatistics, 'counts' | 'buckets'> {
  const filled = rows.filter((row) => row.start !== null);
  const buckets = filled.map(({ start, delivered, failed }) => ({ start, delivered, failed }));
  return { counts: sumLists(filled), buckets };
}
