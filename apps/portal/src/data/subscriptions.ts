import { queryOptions } from '@tanstack/react-query';
import { type Api, read } from './api.js';
import type { Subscription } from './schemas.js';

const perPage = 100;
const maxPages = 20;

export type WebhookSubscriptions = {
  subscriptions: Subscription[];
  /** False when the account has more subscriptions than are read. */
  isComplete: boolean;
};

/** The subscriptions of a webhook. The API lists those of the account, so all of them are read, up to a limit. */
export const subscriptionsOf = (api: Api, webhookId: string) =>
  queryOptions({
    queryKey: ['subscriptions', webhookId],
    queryFn: async ({ signal }): Promise<WebhookSubscriptions> => {
      const subscriptions: Subscription[] = [];
      let last = 1;
      for (let page = 1; page <= Math.min(last, maxPages); page += 1) {
        const query = { page, per_page: perPage };
        const { data, meta } = await read(api.GET('/developer/subscriptions', { params: { query }, signal }));
        subscriptions.push(...data.filter(({ webhook_id }) => webhook_id === webhookId));
        last = meta.last_page;
      }
      return { subscriptions, isComplete: last <= maxPages };
    },
  });
