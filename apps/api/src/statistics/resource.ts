import type { z } from 'zod';
import {
  type BucketRange,
  type CodeCounts,
  errorsOf,
  resultsOf,
  statusesOf,
  startsOf,
  type StatisticBucket,
  sumCounts,
  type Waiting,
  type WebhookStatistics,
} from '@ringback/database';
import { groupBy } from '@ringback/runtime';
import { timestamp } from '../http/timestamp.js';
import { percentilesOf } from './latency.js';
import type { accountStatisticsSchema, webhookStatisticsSchema } from './schema.js';

type Found = { range: BucketRange; buckets: StatisticBucket[]; waiting: Waiting };

/** The statistics of a webhook, including empty buckets. */
export function statisticsResource({ range, buckets, waiting }: Found): z.infer<typeof webhookStatisticsSchema> {
  const byStart = groupBy(buckets, ({ start }) => start.getTime());
  const { counts, fields } = summarise(buckets);
  return {
    from: timestamp(range.from),
    to: timestamp(range.to),
    interval: range.resolution,
    totals: {
      ...fields,
      by_status: statusesOf(counts),
      by_error: errorsOf(counts),
      latency_ms: percentilesOf(counts, { p50: 50, p90: 90, p95: 95, p99: 99 }),
    },
    buckets: startsOf(range).map((start) => {
      const bucket = summarise(byStart.get(start.getTime()) ?? []);
      return { start: timestamp(start), ...bucket.fields, latency_ms: latencyOf(bucket.counts) };
    }),
    waiting: { count: waiting.count, is_capped: waiting.isCapped, retries: waiting.retries },
  };
}

type FoundOfAccount = Found & { webhooks: WebhookStatistics[]; webhookRange: BucketRange };

/** The statistics of an account and of its webhooks. */
export const accountStatisticsResource = ({
  webhooks,
  webhookRange,
  ...found
}: FoundOfAccount): z.infer<typeof accountStatisticsSchema> => {
  const starts = startsOf(webhookRange).map((start) => ({ at: start.getTime(), start: timestamp(start) }));
  return {
    ...statisticsResource(found),
    webhooks_interval: webhookRange.resolution,
    webhooks: webhooks.map((webhook) => webhookResource(webhook, starts)),
  };
};

function webhookResource({ id, name, counts, results }: WebhookStatistics, starts: { at: number; start: string }[]) {
  const bucketAt = ({ at, start }: { at: number; start: string }) => {
    const { delivered, failed } = results.get(at) ?? noResults;
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
  const sums = byEvent.map(([event, found]) => [event, sumCounts(found.map(({ counts }) => counts))] as const);
  const counts = sumCounts(sums.map(([, ofEvent]) => ofEvent));
  const events = sums.map(([event, ofEvent]) => [event, countsOf(ofEvent)] as const);
  return { counts, fields: { ...countsOf(counts), by_event: Object.fromEntries(events) } };
}

function countsOf(counts: CodeCounts) {
  const { delivered, retried, failed, uncalled, skipped } = resultsOf(counts);
  return { attempts: delivered + retried + failed, delivered, retried, failed: failed + uncalled, skipped };
}

const latencyOf = (counts: CodeCounts) => percentilesOf(counts, { p50: 50, p95: 95 });
