import { groupBy } from '@ringback/process';
import type { Database } from '../connection/open.js';
import { defineRecords } from '../sql/json-records.js';
import { unpreparedStatement } from '../sql/statement.js';
import { type CodeCounts, type CodeCountColumns, sumCodeRows } from './codes.js';
import { type BucketRange, type Resolution, splitRange } from './ranges.js';
import { bucketStartSql, type StatisticFilter, unfoldedRowsSql } from './statistics.js';

type Results = { delivered: number; failed: number };

/** The counts of a webhook in a range, and its results by the start of the bucket in ms, without empty buckets. */
export type WebhookStatistics = {
  id: string;
  name: string;
  counts: CodeCounts;
  results: ReadonlyMap<number, Results>;
};

type ReadParameters = {
  accountId: string;
  webhookIds: readonly string[] | null;
  event: string | null;
  /** The length of the buckets. */
  step: string;
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

const rowsSql = (id: string) => `FROM parts p CROSS JOIN LATERAL (SELECT * FROM statistics
        WHERE subject_id = ${id} AND resolution = p.resolution AND start >= p.starts_at AND start < p.ends_at
          AND ($event::text IS NULL OR event = $event) OFFSET 0) s`;

const epochSql = (time: string) => `date_part('epoch', ${time})`;

/**
 * Returns a row with the folded counts of each webhook, and a row for each of its buckets with entries that are not
 * folded yet. A webhook with neither has one empty row. PostgreSQL adds up the folded rows, because sending them all
 * takes longer. Uses the primary key for each webhook and part. `MATERIALIZED` and `OFFSET 0` keep the planner from
 * reading rows again for each webhook when it expects few webhooks.
 *
 * - `unfolded`: the entries that are not folded yet, by webhook and bucket
 * - `sums`: the folded and the unfolded results of each webhook; only rows of folded results have a name
 * - `ranked`: the webhooks with the most failures. A webhook without a name is deleted or was not requested
 * - `found`: the counts by code and by bucket. Both kinds of rows have lists of lists
 */
const readStatement = unpreparedStatement<ReadParameters>(`
  WITH parts AS (
    SELECT * FROM ${partRecords.from('$parts')}
  ), unfolded AS MATERIALIZED (
    SELECT webhook_id, start, sum(delivered) AS delivered, sum(failed) AS failed, json_agg(codes) AS codes,
        json_agg(counts) AS counts FROM (${unfoldedRowsSql}) u GROUP BY 1, 2
  ), sums AS (
    SELECT w.id, w.name, f.failed, f.delivered FROM webhooks w CROSS JOIN LATERAL (
        SELECT sum(s.failed) AS failed, sum(s.delivered) AS delivered ${rowsSql('w.id')}) f
      WHERE w.account_id = $accountId AND w.deleted_at IS NULL
        AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
    UNION ALL
    SELECT webhook_id, NULL, failed, delivered FROM unfolded
  ), ranked AS MATERIALIZED (
    SELECT id, max(name) AS name, COALESCE(sum(failed), 0) AS failed, COALESCE(sum(delivered), 0) AS delivered FROM sums
      GROUP BY 1 HAVING count(name) > 0 ORDER BY 3 DESC, 4 DESC, 1 LIMIT $limit
  ), found AS MATERIALIZED (
    SELECT r.id, c.codes, c.counts, b.buckets FROM ranked r CROSS JOIN LATERAL (
        SELECT json_build_array(json_agg(code)) AS codes, json_build_array(json_agg(n)) AS counts FROM (
          SELECT code, sum(n) AS n FROM (SELECT unnest(s.codes) AS code, unnest(s.counts) AS n ${rowsSql('r.id')}) u
            GROUP BY 1) n) c
      CROSS JOIN LATERAL (SELECT json_agg(n) AS buckets FROM (
        SELECT ${epochSql(bucketStartSql('s.start'))} AS epoch, sum(s.delivered) AS delivered, sum(s.failed) AS failed
          ${rowsSql('r.id')} GROUP BY 1) n) b
      WHERE b.buckets IS NOT NULL
    UNION ALL
    SELECT webhook_id, codes, counts,
        json_build_array(json_build_object('epoch', ${epochSql('start')}, 'delivered', delivered, 'failed', failed)) FROM unfolded
  )
  SELECT r.id, r.name, f.codes, f.counts, f.buckets FROM ranked r LEFT JOIN found f ON f.id = r.id
    ORDER BY r.failed DESC, r.delivered DESC, r.id`);

type Row = { id: string; name: string } & ((CodeCountColumns & { buckets: Bucket[] }) | { buckets: null });
/** `epoch`: the start of the bucket in Unix seconds. */
type Bucket = Results & { epoch: number };

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
  const query = readStatement({ accountId, event, webhookIds, step: `1 ${resolution}`, from, to, parts, limit });
  const { rows } = await db.pool.query<Row>(query);
  return [...groupBy(rows, ({ id }) => id).values()].map((ofWebhook) => {
    const [{ id, name }] = ofWebhook as [Row, ...Row[]];
    return { id, name, ...sumRows(ofWebhook) };
  });
}

function sumRows(rows: Row[]): Pick<WebhookStatistics, 'counts' | 'results'> {
  const filled = rows.filter((row) => row.buckets !== null);
  return { counts: sumCodeRows(filled), results: sumBuckets(filled.flatMap(({ buckets }) => buckets)) };
}

function sumBuckets(buckets: Bucket[]): Map<number, Results> {
  const sums = new Map<number, Results>();
  for (const { epoch, delivered, failed } of buckets) {
    const startMs = epoch * 1_000;
    const sum = sums.get(startMs) ?? { delivered: 0, failed: 0 };
    sums.set(startMs, { delivered: sum.delivered + delivered, failed: sum.failed + failed });
  }
  return sums;
}
