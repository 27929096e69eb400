import { minuteRetentionDays, type StatisticBucket } from '@ringback/ledger';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { accountStatisticsQuery, webhookStatisticsQuery } from './input.js';
import { accountStatisticsResource, statisticsResource } from './resource.js';
import { accountStatisticsSchema, webhookStatisticsSchema } from './schema.js';

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

const range = {
  from: exampleBucket.start,
  to: new Date('2026-01-15T10:00:00Z'),
  resolution: 'hour' as const,
};
const query = { from: range.from.toISOString(), to: range.to.toISOString() };
const statistics = { range, buckets: [exampleBucket], waiting: { count: 0, isCapped: false, retries: 0 } };
const description =
  'The range is widened to whole buckets, which begin and end in UTC. An attempt counts in the bucket in which it ' +
  `started. Resends count too; test calls do not. Minutes are kept for ${minuteRetentionDays} days, hours and days ` +
  'for 30 days longer than the log.';
const webhook = {
  id: exampleWebhook.id,
  name: exampleWebhook.name,
  counts: exampleBucket.counts,
  results: new Map([[range.from.getTime(), { delivered: 2, failed: 0 }]]),
};

export const statisticsOperations = tagOperations('Statistics', [
  {
    id: 'getStatistics',
    route: 'GET /developer/statistics',
    isSearch: true,
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show the statistics of the account',
    description: `${description} \`webhooks\` has only live webhooks; everything else also counts deleted ones.`,
    query: accountStatisticsQuery,
    response: { message: 'Statistics', data: accountStatisticsSchema },
    errors: [422],
    example: { query, data: accountStatisticsResource({ ...statistics, webhookRange: range, webhooks: [webhook] }) },
  },
  {
    id: 'getWebhookStatistics',
    route: 'GET /developer/webhooks/{id}/statistics',
    scope: 'read',
    summary: 'Show the statistics of a webhook',
    description,
    path: webhookPath,
    query: webhookStatisticsQuery,
    response: { message: 'Statistics', data: webhookStatisticsSchema },
    errors: [422],
    example: { path: { id: exampleWebhook.id }, query, data: statisticsResource(statistics) },
  },
]);
