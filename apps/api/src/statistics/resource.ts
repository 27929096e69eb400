import type { z } from 'zod';
import {
  type BucketRange,
  type CodeCounts,
  startsOf,
  type StatisticBucket,
  sumCounts,
  type Tally,
  tallyOf,
  type Waiting,
  type WebhookStatistics,
} from '@ringback/database';
import { timestamp } from '../http/timestamp.js';
import { percentilesOf } from './latency.js';
import type { accountStatisticsSchema, webhookStatisticsSchema } from './schema.js';

type Found = { range: BucketRange; buckets: StatisticBucket[]; waiting: Waiting };

/** The statistics of a webhook, including empty buckets. */
export function statisticsResource({ range, buckets, waiting }: Found): z.infer<typeof webhookStatisticsSchema> {
  const byStart = new Map<number, StatisticBucket[]>();
  for (const bucket of buckets)
    byStart.set(bucket.start.getTime(), [...(byStart.get(bucket.start.getTime()) ?? []), bucket]);
  const { statuses, errors, ...totals } = summarise(buckets);
  return {
    from: timestamp(range.from),
    to: timestamp(range.to),
    interval: range.resolution,
    totals: {
      ...totals.fields,
      by_status: statuses,
      by_error: errors,
      latency_ms: percentilesOf(totals.latencies, { p50: 50, p90: 90, p95: 95, p99: 99 }),
    },
    buckets: startsOf(range).map((start) => {
      const { fields, latencies } = summarise(byStart.get(start.getTime()) ?? []);
      return { start: timestamp(start), ...fields, latency_ms: latencyOf(latencies) };
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
  const starts = startsOf(webhookRange).map((start) => timestamp(start));
  return {
    ...statisticsResource(found),
    webhooks_interval: webhookRange.resolution,
    webhooks: webhooks.map((webhook) => webhookResource(webhook, starts)),
  };
};

function webhookResource({ id, name, counts, buckets }: WebhookStatistics, starts: string[]) {
  const tally = tallyOf(counts);
  const byStart = new Map(buckets.map(({ start, ...results }) => [timestamp(start), results]));
  return {
    id,
    name,
    ...countsOf(tally),
    latency_ms: latencyOf(tally.latencies),
    buckets: starts.map((start) => ({ start, ...(byStart.get(start) ?? { delivered: 0, failed: 0 }) })),
  };
}

/** Adds up the counts of buckets, in total and for each event. */
function summarise(buckets: StatisticBucket[]) {
  const byEvent = new Map<string, CodeCounts[]>();
  for (const { event, counts } of buckets) byEvent.set(event, [...(byEvent.get(event) ?? []), counts]);
  const sums = [...byEvent].map(([event, counts]) => [event, sumCounts(counts)] as const);
  const { statuses, errors, latencies, ...tally } = tallyOf(sumCounts(sums.map(([, counts]) => counts)));
  const events = sums.map(([event, counts]) => [event, countsOf(tallyOf(counts))] as const);
  return { fields: { ...countsOf(tally), by_event: Object.fromEntries(events) }, statuses, errors, latencies };
}

function countsOf({ results }: Pick<Tally, 'results'>) {
  const { delivered, retried, failed, uncalled, skipped } = results;
  return { attempts: delivered + retried + failed, delivered, retried, failed: failed + uncalled, skipped };
}

const latencyOf = (latencies: Tally['latencies']) => percentilesOf(latencies, { p50: 50, p95: 95 });
