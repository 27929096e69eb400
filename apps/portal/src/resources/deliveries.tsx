import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.js';
import type { DeliveryDetail, DeliveryState } from '../api/schemas.js';
import { useAnnounce } from '../components/announcer.js';
import { StatusBadge, type Tone } from '../components/badge.js';
import { useApi } from '../session/session.js';
import { memberText } from '../text/json.js';

const states: Record<DeliveryState, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'warning' },
  delivered: { label: 'Delivered', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  skipped: { label: 'Skipped', tone: 'neutral' },
};

export const deliveryStates = Object.keys(states) as DeliveryState[];
export const stateOptions = deliveryStates.map((value) => ({ value, label: states[value].label }));

/** The state of a delivery. */
export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { label, tone } = states[state];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

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

/** Resends a delivery, then calls `onSent` and refetches all that shows the delivery. */
export function useResend(id: string, onSent: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: () => unwrap(api.POST('/developer/deliveries/{id}/resend', { params: { path: { id } } })),
    onSuccess: async () => {
      announce('The callback is being sent again. The result appears on this page.');
      onSent();
      await queries.invalidateQueries({ queryKey: ['delivery', id] });
      await queries.invalidateQueries({ queryKey: ['deliveries'] });
      await queries.invalidateQueries({ queryKey: ['message'] });
    },
  });
}
