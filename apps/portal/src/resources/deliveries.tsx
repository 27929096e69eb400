import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.js';
import type { DeliveryDetail } from '../api/schemas.js';
import { memberText } from '../text/json.js';

/** A delivery with the exact text of its payload, in which large numbers keep their digits. */
export type DeliveryWithPayload = DeliveryDetail & { payloadText: string };

const nearMs = 10_000;
const soonPollMs = 2_000;
const laterPollMs = 15_000;

/** Query for one delivery, refetched while it is pending: every 2 s if an attempt is near, else every 15 s. */
export const deliveryQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: async ({ signal }): Promise<DeliveryWithPayload> => {
      const params = { path: { id } };
      const text = await unwrap(api.GET('/developer/deliveries/{id}', { params, signal, parseAs: 'text' }));
      const { data } = JSON.parse(text) as { data: DeliveryDetail };
      return { ...data, payloadText: memberText(text, ['data', 'payload']) ?? '' };
    },
    refetchInterval: ({ state }) => pollMs(state.data),
  });

function pollMs(delivery: DeliveryWithPayload | undefined): number | false {
  if (delivery?.state !== 'pending') return false;
  const due = delivery.next_attempt_at;
  const isNear = due !== null && new Date(due).getTime() < Date.now() + nearMs;
  return isNear ? soonPollMs : laterPollMs;
}
