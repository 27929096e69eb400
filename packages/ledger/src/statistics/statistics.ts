import type { EventName } from '@ringback/rules';
import type { Database } from '../connection/open.js';
import { type CodeCounts, type CodeCountColumns, resultCodes, sumCodeRows } from './codes.js';
import type { BucketRange } from './ranges.js';
import { unpreparedStatement } from '../sql/statement.js';

/** Selects the attempts and deliveries to count. An absent field matches all. */
export type StatisticFilter = {
  event?: EventName | undefined;
  /** Only these webhooks. */
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
export const bucketStartSql = (time: string) => `date_bin($step::interval, ${time}, 'epoch')`;

const { delivered, failed, failedUnattempted } = resultCodes;

/**
 * The entries of the account that are not folded yet, as rows like those of `statistics`, for each webhook and bucket
 * of the length `$step`.
 */
export const unfoldedRowsSql = `SELECT webhook_id, start, event, codes, array_fill(n, ARRAY[cardinality(codes)]) AS counts,
      CASE WHEN codes[1] = ${delivered} THEN n ELSE 0 END AS delivered,
      CASE WHEN codes[1] IN (${failed}, ${failedUnattempted}) THEN n ELSE 0 END AS failed
    FROM (SELECT webhook_id, ${bucketStartSql('at')} AS start, event, codes, count(*)::int AS n
      FROM statistic_entries WHERE account_id = $accountId AND at >= $from AND at < $to
        AND ($event::text IS NULL OR event = $event) AND ($webhookIds::uuid[] IS NULL OR webhook_id = ANY($webhookIds))
      GROUP BY 1, 2, 3, 4) e`;

// With LATERAL and OFFSET 0 the primary key is read once for each subject, whatever PostgreSQL estimates for the table.
const bucketsStatement = unpreparedStatement<BucketParameters>(`
  WITH subjects AS (
    SELECT $accountId::uuid AS id WHERE $webhookIds::uuid[] IS NULL
    UNION ALL
    SELECT id FROM webhooks WHERE account_id = $accountId AND id = ANY($webhookIds)
  ), found AS (
    SELECT s.start, s.event, s.codes, s.counts FROM subjects CROSS JOIN LATERAL (SELECT * FROM statistics
        WHERE subject_id = subjects.id AND resolution = $resolution AND start >= $from AND start < $to
          AND ($event::text IS NULL OR event = $event) OFFSET 0) s
    UNION ALL
    SELECT start, event, codes, counts FROM (${unfoldedRowsSql}) u
  )
  SELECT start, event, json_agg(codes) AS codes, json_agg(counts) AS counts FROM found GROUP BY 1, 2 ORDER BY 1, 2`);

type BucketRow = Omit<StatisticBucket, 'counts'> & CodeCountColumns;

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
  const { rows } = await db.pool.query<BucketRow>(
    bucketsStatement({ accountId, event, webhookIds, ...range, step: `1 ${range.resolution}` }),
  );
  return rows.map(({ codes, counts, ...bucket }) => ({ ...bucket, counts: sumCodeRows([{ codes, counts }]) }));
}
