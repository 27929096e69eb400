import { z } from 'zod';
import { resolutions } from '@ringback/ledger';
import { timestampSchema } from '../http/output/timestamp.js';

const count = z.int();
const counts = {
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
const countsSchema = z.object(counts).meta({ id: 'StatisticCounts' });
const byEvent = z.record(z.string(), countsSchema);
const ms = z.number();
const medianAndP95 = { p50: ms, p95: ms };
const latency = z
  .object(medianAndP95)
  .nullable()
  .describe('Percentiles of the durations of attempts, with an error of at most 7.2 %. Null without an attempt.')
  .meta({ id: 'StatisticLatency' });

const totals = z.object({
  ...counts,
  by_event: byEvent,
  by_status: z.record(z.string(), count).describe('Attempts by the HTTP status of the response.'),
  by_error: z
    .record(z.string(), count)
    .describe('Attempts without a response, by `timeout`, `dns`, `connect`, `tls`, `reset`, `refused` or `protocol`.'),
  latency_ms: z.object({ p50: ms, p90: ms, p95: ms, p99: ms }).nullable(),
});

const bucket = z
  .object({ start: timestampSchema, ...counts, by_event: byEvent, latency_ms: latency })
  .meta({ id: 'StatisticBucket' });

const interval = z.enum(resolutions);

export const webhookStatisticsSchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    interval,
    totals,
    buckets: z.array(bucket).describe('All buckets of the range, including empty ones.'),
    waiting: z
      .object({
        count,
        is_capped: z.boolean().describe('Whether more than `count` deliveries are waiting.'),
        retries: count.describe('The number of waiting deliveries that have had an attempt.'),
      })
      .describe('The deliveries that wait now for an attempt, of any event.'),
  })
  .meta({ id: 'WebhookStatistics' });

const webhook = z
  .object({
    id: z.uuid(),
    name: z.string(),
    ...counts,
    latency_ms: latency,
    buckets: z.array(z.object({ start: timestampSchema, delivered: count, failed: count })),
  })
  .meta({ id: 'WebhookStatisticsSummary' });

export const accountStatisticsSchema = webhookStatisticsSchema
  .extend({
    webhooks_interval: interval.describe(
      'The length of a bucket in `webhooks`. It is chosen so that a webhook has at most 60 buckets, or days if ' +
        'that is not possible.',
    ),
    webhooks: z
      .array(webhook)
      .describe(
        'The webhooks with the most failures, by that number: at most 100, or fewer if each has more than 60 buckets.',
      ),
  })
  .meta({ id: 'AccountStatistics' });
