import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from './api.js';
import type { AccountStatistics, Interval, Statistics } from './schemas.js';

export const rangeNames = ['1h', '24h', '7d', '30d'] as const;
export type RangeName = (typeof rangeNames)[number];

type Range = { label: string; before: string; interval: Interval; hours: number };

export const ranges: Record<RangeName, Range> = {
  '1h': { label: '1 h', before: 'the hour before', interval: 'minute', hours: 1 },
  '24h': { label: '24 h', before: 'the 24 hours before', interval: 'hour', hours: 24 },
  '7d': { label: '7 days', before: 'the 7 days before', interval: 'hour', hours: 168 },
  '30d': { label: '30 days', before: 'the 30 days before', interval: 'day', hours: 720 },
};

/** The ranges to choose from. */
export const rangeOptions = rangeNames.map((value) => ({ value, label: ranges[value].label }));

const bucketMs: Record<Interval, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The query of a range that ends now, in whole buckets; with `isPrevious` that of the range of the same length before it. */
export function rangeQuery(name: RangeName, { now, isPrevious = false }: { now: number; isPrevious?: boolean }) {
  const { interval, hours } = ranges[name];
  const length = hours * 3_600_000;
  const end = Math.ceil(now / bucketMs[interval]) * bucketMs[interval];
  const to = isPrevious ? end - length : end;
  return { from: new Date(to - length).toISOString(), to: new Date(to).toISOString(), interval };
}

const refreshMs = 30_000;
type StatisticsRequest = { range: RangeName; isPrevious?: boolean };

/** The statistics of the account. */
export const accountStatisticsQuery = (api: Api, { range, isPrevious = false }: StatisticsRequest) =>
  queryOptions({
    queryKey: ['statistics', 'account', range, isPrevious],
    queryFn: async ({ signal }): Promise<AccountStatistics> => {
      const query = rangeQuery(range, { now: Date.now(), isPrevious });
      return (await unwrap(api.GET('/developer/statistics', { params: { query }, signal }))).data;
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

/** The statistics of one webhook. */
export const webhookStatisticsQuery = (api: Api, id: string, range: RangeName) =>
  queryOptions({
    queryKey: ['statistics', 'webhook', id, range],
    queryFn: async ({ signal }): Promise<Statistics> => {
      const params = { path: { id }, query: rangeQuery(range, { now: Date.now() }) };
      return (await unwrap(api.GET('/developer/webhooks/{id}/statistics', { params, signal }))).data;
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

/** The statistics of some webhooks over the last 24 hours, for a look at their health. */
export const webhookHealthQuery = (api: Api, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['statistics', 'webhooks', ids],
    queryFn: async ({ signal }) => {
      const query = { ...rangeQuery('24h', { now: Date.now() }), 'filter[webhook_id]': ids.join(',') };
      const { data } = await unwrap(api.GET('/developer/statistics', { params: { query }, signal }));
      return new Map(data.webhooks.map((webhook) => [webhook.id, webhook]));
    },
    refetchInterval: refreshMs,
    enabled: ids.length > 0,
  });
