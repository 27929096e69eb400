import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { unwrap } from '../api/client.js';
import type { Webhook } from '../api/schemas.js';
import { useApi } from '../session/session-context.js';

const staleMs = 60_000;
const perPage = 100;

export type WebhookChoices = {
  /** The newest 100. */
  webhooks: Webhook[];
  total: number;
};

/** The webhooks that the user can choose: those whose names contain the text. */
export function useWebhookChoices(name = '') {
  const api = useApi();
  return useQuery({
    queryKey: ['webhooks', 'choices', name],
    queryFn: async ({ signal }): Promise<WebhookChoices> => {
      const query = { per_page: perPage, ...(name === '' ? {} : { 'filter[name]': name }) };
      const { data, meta } = await unwrap(api.GET('/developer/webhooks', { params: { query }, signal }));
      return { webhooks: data, total: meta.total };
    },
    staleTime: staleMs,
    placeholderData: keepPreviousData,
  });
}

/** The name of a webhook. Undefined while it is loading, and if it cannot be fetched, as that of a deleted webhook. */
export function useWebhookName(id: string): string | undefined {
  const api = useApi();
  const choices = useWebhookChoices();
  const listedName = choices.data?.webhooks.find((webhook) => webhook.id === id)?.name;
  const single = useQuery({
    queryKey: ['webhook', id, 'name'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await unwrap(api.GET('/developer/webhooks/{id}', { params, signal }))).data.name;
    },
    staleTime: staleMs,
    enabled: id !== '' && listedName === undefined && choices.isSuccess,
  });
  return listedName ?? single.data;
}
