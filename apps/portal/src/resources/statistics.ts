import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.js';
import type { AccountStatistics, Statistics } from '../api/schemas.js';
import type { Interval } from '../text/format.js';

export const rangeNames = ['1h', '24h', '7d', '30d'] as const;
export type RangeName = (typeof rangeNames)[number];

type Range = {
  label: string;
  /** The label of the range of the same length before this one. */
  previousLabel: string;
  interval: Interval;
  hours: number;
};

export const ranges: Record<RangeName, Range> = {
  '1h': { label: '1 h', previousLabel: 'the previous hour', interval: 'minute', hours: 1 },
  '24h': { label: '24 h', previousLabel: 'the previous 24 hours', interval: 'hour', hours: 24 },
  '7d': { label: '7 days', previousLabel: 'the previous 7 days', interval: 'hour', hours: 168 },
  '30d': { label: '30 days', previousLabel: 'the previous 30 days', interval: 'day', hours: 720 },
};

/** The ranges that the user can choose. */
export const rangeOptions = rangeNames.map((value) => ({ value, label: ranges[value].label }));

const bucketMs: Record<Interval, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Parameters for a range of whole buckets, of which the current bucket is the last. With `isPrevious`, for the range of
 * the same length before it.
 */
export function rangeQuery(name: RangeName, { now, isPrevious = false }: { now: number; isPrevious?: boolean }) {
  const { interval, hours } = ranges[name];
  const lengthMs = hours * 3_600_000;
  const endMs = Math.ceil(now / bucketMs[interval]) * bucketMs[interval];
  const toMs = isPrevious ? endMs - lengthMs : endMs;
  return { from: new Date(toMs - lengthMs).toISOString(), to: new Date(toMs).toISOString(), interval };
}

const refreshMs = 30_000;
type StatisticsRequest = { range: RangeName; isPrevious?: boolean };

/** Query for the statistics of the account, refetched every 30 s. */
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

/** Query for the statistics of one webhook, refetched every 30 s. */
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

/** Query for the statistics of the given webhooks over the last 24 hours, by id, refetched every 30 s. */
export const webhookHealthQuery = (api: Api, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['statistics', 'webhooks', ids],
    queryFn: async ({ signal }) => {
      const query = { ...rangeQuery('24h', { now: Date.now() }), 'filter[webhook_id]': [...ids] };
      const { data } = await unwrap(api.GET('/developer/statistics', { params: { query }, signal }));
      return new Map(data.webhooks.map((webhook) => [webhook.id, webhook]));
    },
    refetchInterval: refreshMs,
    enabled: ids.length > 0,
  });
