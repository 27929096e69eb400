import type { z } from 'zod';
import {
  type BucketRange,
  type CodeCounts,
  countsByError,
  countsByResult,
  countsByStatus,
  listBucketStarts,
  type StatisticBucket,
  sumCounts,
  type WaitingCount,
  type WebhookStatistics,
} from '@ringback/ledger';
import { groupBy } from '@ringback/process';
import { formatTimestamp } from '../http/output/timestamp.js';
import { percentilesOf } from './durations.js';
import type { accountStatisticsSchema, webhookStatisticsSchema } from './schema.js';

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
