import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Api, unwrap } from '../../api/client.js';
import type { ShownWebhook, WebhookPatch } from '../../api/schemas.js';
import { useAnnounce } from '../../components/announcer.js';
import { useApi } from '../../session/session-context.js';

const fetchWebhook = async (api: Api, id: string, signal?: AbortSignal): Promise<ShownWebhook> =>
  (await unwrap(api.GET('/developer/webhooks/{id}', { params: { path: { id } }, ...(signal ? { signal } : {}) }))).data;

const refreshMs = 30_000;

/** Query for one webhook, refetched every 30 s. */
export const webhookQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => fetchWebhook(api, id, signal),
    refetchInterval: refreshMs,
  });

/** Returns a function that refetches a webhook, its changes, and the lists of webhooks. */
export function useWebhookRefresh(id: string) {
  const queries = useQueryClient();
  return async () => {
    void queries.invalidateQueries({ queryKey: ['webhooks'] });
    void queries.invalidateQueries({ queryKey: ['changes'] });
    await queries.invalidateQueries({ queryKey: ['webhook', id] });
  };
}

/** Changes some fields of a webhook. Announces `successMessage` after a success. */
export function useWebhookChange(id: string, successMessage: string) {
  const api = useApi();
  const announce = useAnnounce();
  const refresh = useWebhookRefresh(id);
  return useMutation({
    mutationFn: (changes: WebhookPatch) =>
      unwrap(api.PATCH('/developer/webhooks/{id}', { params: { path: { id } }, body: changes })),
    onSuccess: () => {
      announce(successMessage);
      return refresh();
    },
  });
}
