import type { EventName } from '@ringback/rules';
import { groupBy } from '@ringback/process';
import type { Database } from '../connection/database.js';
import { defineRecords } from '../sql/records.js';
import { type CodeCounts, resultCodes, sumCodeRows } from './codes.js';
import { type BucketRange, type Resolution, splitRange } from './ranges.js';
import { json, type RowOf, text, timestamp, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/** Selects the attempts and deliveries to count. An absent field matches all. */
export type StatisticFilter = {
  event?: EventName | undefined;
  webhookIds?: readonly string[] | undefined;
};

/** The counts of one event in a bucket. */
export type StatisticBucket = { start: Date; event: string; counts: CodeCounts };

type BucketParameters = {
  accountId: string;
  webhookIds: readonly string[] | null;
  event: string | null;
  resolution: string;
  step: string;
  from: Date;
  to: Date;
};

/** The start of the bucket of a time. The statement needs `$step`, such as `1 hour`. date_trunc is far slower. */
const bucketStartSql = (time: string) => `date_bin($step::interval, ${time}, 'epoch')`;

const { delivered, failed, failedUnattempted } = resultCodes;

/**
 * The entries of the account that are not rolled up yet, as rows like those of `statistics`, for each webhook and
 * bucket of the length `$step`.
 */
const recentRowsSql = `SELECT webhook_id, start, event, codes, array_fill(n, ARRAY[cardinality(codes)]) AS counts,
      CASE WHEN codes[1] = ${delivered} THEN n ELSE 0 END AS delivered,
      CASE WHEN codes[1] IN (${failed}, ${failedUnattempted}) THEN n ELSE 0 END AS failed
    FROM (SELECT webhook_id, ${bucketStartSql('at')} AS start, event, codes, count(*)::int AS n
      FROM statistic_entries WHERE account_id = $accountId AND at >= $from AND at < $to
        AND ($event::text IS NULL OR event = $event) AND ($webhookIds::uuid[] IS NULL OR webhook_id = ANY($webhookIds))
      GROUP BY 1, 2, 3, 4) e`;

// With LATERAL and OFFSET 0 the primary key is read once for each subject, whatever PostgreSQL estimates for the table.
const bucketsStatement = statement<BucketParameters>(`
  WITH subjects AS (
    SELECT $accountId::uuid AS id WHERE $webhookIds::uuid[] IS NULL
    UNION ALL
    SELECT id FROM webhooks WHERE account_id = $accountId AND id = ANY($webhookIds)
  ), found AS (
    SELECT s.start, s.event, s.codes, s.counts FROM subjects CROSS JOIN LATERAL (SELECT * FROM statistics
        WHERE subject_id = subjects.id AND resolution = $resolution AND start >= $from AND start < $to
          AND ($event::text IS NULL OR event = $event) OFFSET 0) s
    UNION ALL
    SELECT start, event, codes, counts FROM (${recentRowsSql}) u
  )
  SELECT start, event, json_agg(codes) AS codes, json_agg(counts) AS counts FROM found GROUP BY 1, 2 ORDER BY 1, 2`).returns(
  {
    start: timestamp,
    event: text,
    codes: json<number[][]>(),
    counts: json<number[][]>(),
  },
);

/**
 * The counts of the account, or of the filter's webhooks together, for each event in each bucket of a range. Empty
 * buckets are left out.
 */
export async function readStatistics(
  db: Database,
  accountId: string,
  { range, filter }: { range: BucketRange; filter: StatisticFilter },
): Promise<StatisticBucket[]> {
  const { event = null, webhookIds = null } = filter;
  const step = `1 ${range.resolution}`;
  const rows = await bucketsStatement.rows(db.pool, { accountId, event, webhookIds, step, ...range });
  return rows.map(({ codes, counts, ...bucket }) => ({ ...bucket, counts: sumCodeRows([{ codes, counts }]) }));
}

type Results = { delivered: number; failed: number };

/** The counts of a webhook in a range, and its results by the start of the bucket in ms, without empty buckets. */
export type WebhookStatistics = {
  id: string;
  name: string;
  counts: CodeCounts;
  results: ReadonlyMap<number, Results>;
};

type WebhookParameters = {
  accountId: string;
  webhookIds: readonly string[] | null;
  event: string | null;
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

// OFFSET 0 as in the statement above: the primary key is read once for each webhook and part.
const rowsSql = (id: string) => `FROM parts p CROSS JOIN LATERAL (SELECT * FROM statistics
        WHERE subject_id = ${id} AND resolution = p.resolution AND start >= p.starts_at AND start < p.ends_at
          AND ($event::text IS NULL OR event = $event) OFFSET 0) s`;

const epochSql = (time: string) => `date_part('epoch', ${time})`;

/** `epoch`: the start of the bucket in Unix seconds. */
type Bucket = Results & { epoch: number };

/** The last three are null together, for a webhook without counts. */
const webhookColumns = {
  id: uuid,
  name: text,
  codes: json<number[][]>().orNull,
  counts: json<number[][]>().orNull,
  buckets: json<Bucket[]>().orNull,
};

// `found` has a row with the rolled-up counts of each webhook, and a row for each bucket that has recent entries. A
// webhook with neither has one empty row.
const webhooksStatement = statement<WebhookParameters>(`
  WITH parts AS (
    SELECT * FROM ${partRecords.from('$parts')}
  ), recent AS MATERIALIZED (
    -- Entries that are not rolled up yet. Without MATERIALIZED they are read again for each webhook.
    SELECT webhook_id, start, sum(delivered) AS delivered, sum(failed) AS failed, json_agg(codes) AS codes,
        json_agg(counts) AS counts FROM (${recentRowsSql}) u GROUP BY 1, 2
  ), sums AS (
    -- All results of each webhook; only the rows of the first half have a name.
    SELECT w.id, w.name, f.failed, f.delivered FROM webhooks w CROSS JOIN LATERAL (
        SELECT sum(s.failed) AS failed, sum(s.delivered) AS delivered ${rowsSql('w.id')}) f
      WHERE w.account_id = $accountId AND w.deleted_at IS NULL
        AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
    UNION ALL
    SELECT webhook_id, NULL, failed, delivered FROM recent
  ), ranked AS MATERIALIZED (
    -- Those with the most failures; one without a name is deleted or was not requested.
    SELECT id, max(name) AS name, COALESCE(sum(failed), 0) AS failed, COALESCE(sum(delivered), 0) AS delivered FROM sums
      GROUP BY 1 HAVING count(name) > 0 ORDER BY 3 DESC, 4 DESC, 1 LIMIT $limit
  ), found AS MATERIALIZED (
    -- Counts by code and by bucket, added up here because sending all rows takes longer.
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
        json_build_array(json_build_object('epoch', ${epochSql('start')}, 'delivered', delivered, 'failed', failed)) FROM recent
  )
  SELECT r.id, r.name, f.codes, f.counts, f.buckets FROM ranked r LEFT JOIN found f ON f.id = r.id
    ORDER BY r.failed DESC, r.delivered DESC, r.id`).returns(webhookColumns);

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
  const step = `1 ${resolution}`;
  const rows = await webhooksStatement.rows(db.pool, { accountId, event, webhookIds, step, from, to, parts, limit });
  return [...groupBy(rows, ({ id }) => id).values()].map((ofWebhook) => {
    const [{ id, name }] = ofWebhook as [WebhookRow, ...WebhookRow[]];
    return { id, name, ...sumRows(ofWebhook) };
  });
}

type WebhookRow = RowOf<typeof webhookColumns>;

function sumRows(rows: WebhookRow[]): Pick<WebhookStatistics, 'counts' | 'results'> {
  const countedCodes = rows.map(({ codes, counts }) => ({ codes: codes ?? [], counts: counts ?? [] }));
  return { counts: sumCodeRows(countedCodes), results: sumBuckets(rows.flatMap(({ buckets }) => buckets ?? [])) };
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
