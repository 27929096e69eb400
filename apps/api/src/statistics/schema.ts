import { z } from 'zod';
import {
  type BucketRange,
  type CodeCounts,
  countsByDuration,
  countsByError,
  countsByResult,
  countsByStatus,
  decodeDurationMs,
  listBucketStarts,
  minuteRetentionDays,
  resolutions,
  type StatisticBucket,
  sumCounts,
  type WaitingCount,
  type WebhookStatistics,
} from '@ringback/ledger';
import { groupBy } from '@ringback/process';
import { tagOperations } from '../http/operation.js';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook, webhookPath } from '../webhooks/schema.js';
import { accountStatisticsQuery, webhookStatisticsQuery } from './range.js';

const count = z.int();
const countFields = {
  attempts: count.describe('The number of attempts. An attempt that fails before its request is sent also counts.'),
  delivered: count.describe('Attempts that succeeded.'),
  retried: count.describe('Attempts that failed and are followed by a retry.'),
  failed: count.describe(
    'Attempts that failed and are followed by no retry, and deliveries that failed without an attempt.',
  ),
  skipped: count.describe(
    'Deliveries that ended without a further attempt, because the webhook was inactive, deleted or not verified.',
  ),
};
const countsSchema = z.object(countFields).meta({ id: 'StatisticCounts' });
const byEvent = z.record(z.string(), countsSchema);
const ms = z.number();
const medianAndP95 = { p50: ms, p95: ms };
const latency = z
  .object(medianAndP95)
  .meta({ id: 'StatisticLatency' })
  .nullable()
  .describe('Percentiles of the durations of attempts, with an error of at most 7.2 %. Null without an attempt.');

const totalsSchema = z
  .object({
    ...countFields,
    by_event: byEvent,
    by_status: z.record(z.string(), count).describe('Attempts by the HTTP status of the response.'),
    by_error: z
      .record(z.string(), count)
      .describe(
        'Attempts without a response, by `timeout`, `dns`, `connect`, `tls`, `reset`, `refused` or `protocol`.',
      ),
    latency_ms: z.object({ p50: ms, p90: ms, p95: ms, p99: ms }).meta({ id: 'StatisticPercentiles' }).nullable(),
  })
  .meta({ id: 'StatisticTotals' });

const bucketSchema = z
  .object({ start: timestampSchema, ...countFields, by_event: byEvent, latency_ms: latency })
  .meta({ id: 'StatisticBucket' });

const interval = z.enum(resolutions);

const webhookStatisticsSchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    interval,
    totals: totalsSchema,
    buckets: z.array(bucketSchema).describe('All buckets of the range, including empty ones.'),
    waiting: z
      .object({
        count,
        is_capped: z.boolean().describe('Whether more than `count` deliveries are waiting.'),
        retries: count.describe('The number of waiting deliveries that have had an attempt.'),
      })
      .meta({ id: 'WaitingDeliveries' })
      .describe('The deliveries that wait now for an attempt, of any event.'),
  })
  .meta({ id: 'WebhookStatistics' });

const webhookSummarySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    ...countFields,
    latency_ms: latency,
    buckets: z.array(
      z.object({ start: timestampSchema, delivered: count, failed: count }).meta({ id: 'StatisticResults' }),
    ),
  })
  .meta({ id: 'WebhookStatisticsSummary' });

const accountStatisticsSchema = webhookStatisticsSchema
  .extend({
    webhooks_interval: interval.describe(
      'The length of a bucket in `webhooks`. It is chosen so that a webhook has at most 60 buckets, or days if ' +
        'that is not possible.',
    ),
    webhooks: z
      .array(webhookSummarySchema)
      .describe(
        'The webhooks with the most failures, by that number: at most 100, or fewer if each has more than 60 buckets.',
      ),
  })
  .meta({ id: 'AccountStatistics' });

type StatisticsData = { range: BucketRange; buckets: StatisticBucket[]; waiting: WaitingCount };

/** The statistics of a webhook, or of all selected webhooks of an account, including empty buckets. */
export function statisticsResource({
  range,
  buckets,
  waiting,
}: StatisticsData): z.infer<typeof webhookStatisticsSchema> {
  const byStart = groupBy(buckets, ({ start }) => start.getTime());
  const { counts, fields } = summarise(buckets);
  return {
    from: formatTimestamp(range.from),
    to: formatTimestamp(range.to),
    interval: range.resolution,
    totals: {
      ...fields,
      by_status: countsByStatus(counts),
      by_error: countsByError(counts),
      latency_ms: percentilesOf(counts, { p50: 50, p90: 90, p95: 95, p99: 99 }),
    },
    buckets: listBucketStarts(range).map((start) => {
      const bucket = summarise(byStart.get(start.getTime()) ?? []);
      return { start: formatTimestamp(start), ...bucket.fields, latency_ms: latencyOf(bucket.counts) };
    }),
    waiting: { count: waiting.count, is_capped: waiting.isCapped, retries: waiting.retries },
  };
}

type AccountStatisticsData = StatisticsData & { webhooks: WebhookStatistics[]; webhookRange: BucketRange };

/** The statistics of an account and of its webhooks. */
export const accountStatisticsResource = ({
  webhooks,
  webhookRange,
  ...statistics
}: AccountStatisticsData): z.infer<typeof accountStatisticsSchema> => {
  const starts = listBucketStarts(webhookRange).map((start) => ({
    startMs: start.getTime(),
    start: formatTimestamp(start),
  }));
  return {
    ...statisticsResource(statistics),
    webhooks_interval: webhookRange.resolution,
    webhooks: webhooks.map((webhook) => webhookSummary(webhook, starts)),
  };
};

type BucketStart = { startMs: number; start: string };

function webhookSummary({ id, name, counts, results }: WebhookStatistics, starts: BucketStart[]) {
  const bucketAt = ({ startMs, start }: BucketStart) => {
    const { delivered, failed } = results.get(startMs) ?? noResults;
    return { start, delivered, failed };
  };
  return {
    id,
    name,
    ...countsOf(counts),
    latency_ms: latencyOf(counts),
    buckets: starts.map(bucketAt),
  };
}

const noResults = { delivered: 0, failed: 0 };

/** Adds up the counts of buckets, in total and for each event. */
function summarise(buckets: StatisticBucket[]) {
  const byEvent = [...groupBy(buckets, ({ event }) => event)];
  const sums = byEvent.map(([event, ofEvent]) => [event, sumCounts(ofEvent.map(({ counts }) => counts))] as const);
  const counts = sumCounts(sums.map(([, eventCounts]) => eventCounts));
  const events = sums.map(([event, eventCounts]) => [event, countsOf(eventCounts)] as const);
  return { counts, fields: { ...countsOf(counts), by_event: Object.fromEntries(events) } };
}

function countsOf(counts: CodeCounts) {
  const { delivered, retried, failed, failedUnattempted, skipped } = countsByResult(counts);
  return { attempts: delivered + retried + failed, delivered, retried, failed: failed + failedUnattempted, skipped };
}

const latencyOf = (counts: CodeCounts) => percentilesOf(counts, { p50: 50, p95: 95 });

/** Percentiles of the durations of attempts, in milliseconds rounded to a tenth. Null if there are no attempts. */
function percentilesOf<Name extends string>(
  counts: CodeCounts,
  percents: Record<Name, number>,
): Record<Name, number> | null {
  const durations = countsByDuration(counts);
  const total = durations.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const percentiles = Object.entries<number>(percents).map(([name, percent]) => [
    name,
    Math.round(decodeDurationMs(codeAt(durations, Math.ceil((percent / 100) * total))) * 10) / 10,
  ]);
  return Object.fromEntries(percentiles) as Record<Name, number>;
}

/** The code of the duration of the attempt with this rank. The shortest attempt has rank 1. */
function codeAt(durations: [code: number, count: number][], rank: number): number {
  let seenCount = 0;
  for (const [code, count] of durations) {
    seenCount += count;
    if (seenCount >= rank) return code;
  }
  throw new Error(`${seenCount} attempts have no rank ${rank}`);
}

/** The counts that all examples show: two attempts that succeeded, and one that failed and is retried. */
export const exampleBucket: StatisticBucket = {
  start: new Date('2026-01-15T09:00:00Z'),
  event: 'sms:message:status',
  counts: new Map([
    [1, 2],
    [2, 1],
    [11, 1],
    [1_200, 2],
    [10_028, 2],
    [10_059, 1],
  ]),
};

const exampleRange = {
  from: exampleBucket.start,
  to: new Date('2026-01-15T10:00:00Z'),
  resolution: 'hour' as const,
};
const exampleQuery = { from: exampleRange.from.toISOString(), to: exampleRange.to.toISOString() };
const exampleStatistics = {
  range: exampleRange,
  buckets: [exampleBucket],
  waiting: { count: 0, isCapped: false, retries: 0 },
};
const rangeDescription =
  'The range is widened to whole buckets, which begin and end in UTC. An attempt counts in the bucket in which it ' +
  `started. Resends count too; test calls do not. Minutes are kept for ${minuteRetentionDays} days, hours and days ` +
  'for 30 days longer than the log.';
const exampleWebhookStatistics = {
  id: exampleWebhook.id,
  name: exampleWebhook.name,
  counts: exampleBucket.counts,
  results: new Map([[exampleRange.from.getTime(), { delivered: 2, failed: 0 }]]),
};

export const statisticsOperations = tagOperations('Statistics', [
  {
    id: 'getStatistics',
    route: 'GET /developer/statistics',
    isSearch: true,
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show the statistics of the account',
    description: `${rangeDescription} \`webhooks\` has only live webhooks; everything else also counts deleted ones.`,
    query: accountStatisticsQuery,
    response: { message: 'Statistics', data: accountStatisticsSchema },
    errors: [422],
    example: {
      query: exampleQuery,
      data: accountStatisticsResource({
        ...exampleStatistics,
        webhookRange: exampleRange,
        webhooks: [exampleWebhookStatistics],
      }),
    },
  },
  {
    id: 'getWebhookStatistics',
    route: 'GET /developer/webhooks/{id}/statistics',
    scope: 'read',
    summary: 'Show the statistics of a webhook',
    description: rangeDescription,
    path: webhookPath,
    query: webhookStatisticsQuery,
    response: { message: 'Statistics', data: webhookStatisticsSchema },
    errors: [422],
    example: { path: { id: exampleWebhook.id }, query: exampleQuery, data: statisticsResource(exampleStatistics) },
  },
]);
