import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.js';
import type { Subscription } from '../api/schemas.js';

const perPage = 100;

export type WebhookSubscriptions = {
  /** The newest 100. */
  subscriptions: Subscription[];
  total: number;
};

/** Query for the subscriptions of a webhook. */
export const subscriptionsQuery = (api: Api, webhookId: string) =>
  queryOptions({
    queryKey: ['subscriptions', webhookId],
    queryFn: async ({ signal }): Promise<WebhookSubscriptions> => {
      const query = { 'filter[webhook_id]': webhookId, per_page: perPage };
      const { data, meta } = await unwrap(api.GET('/developer/subscriptions', { params: { query }, signal }));
      return { subscriptions: data, total: meta.total };
    },
  });
