import { useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session-context.js';
import { read } from './api.js';

const keptMs = 60_000;

/** The webhooks for choices and names: the newest 100. */
export function useWebhookChoices() {
  const api = useApi();
  return useQuery({
    queryKey: ['webhooks', 'choices'],
    queryFn: async ({ signal }) => {
      const query = { per_page: 100 };
      return (await read(api.GET('/developer/webhooks', { params: { query }, signal }))).data;
    },
    staleTime: keptMs,
  });
}

/** The name of a webhook. Undefined while it is loading, and for a deleted one. */
export function useWebhookName(id: string): string | undefined {
  const api = useApi();
  const choices = useWebhookChoices();
  const known = choices.data?.find((webhook) => webhook.id === id)?.name;
  const single = useQuery({
    queryKey: ['webhook', id, 'name'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      return (await read(api.GET('/developer/webhooks/{id}', { params, signal }))).data.name;
    },
    staleTime: keptMs,
    enabled: known === undefined && choices.isSuccess,
  });
  return known ?? single.data;
}
