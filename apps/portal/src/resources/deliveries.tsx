import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Api, unwrap } from '../api/client.js';
import type { DeliveryDetail, DeliveryState } from '../api/schemas.js';
import { useAnnounce } from '../components/announcer.js';
import { StatusBadge, type Tone } from '../components/badge.js';
import { Untrusted } from '../components/text.js';
import { useApi } from '../session/session.js';
import { memberText } from '../text/json.js';
import { useCursorPages } from './requests.js';

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

/** A link to the message of a delivery. */
export function MessageLink({ id }: { id: string | null }) {
  if (id === null) return <span className="hint">–</span>;
  return (
    <Link href={`/messages?id=${encodeURIComponent(id)}`} className="code">
      <Untrusted text={id} />
    </Link>
  );
}

/** Query parameters of the API's list of deliveries. */
type ListParameters = { [filter: `filter[${string}]`]: string; per_page: number };

/** Query for the newest deliveries. */
export const newestDeliveriesQuery = (api: Api, parameters: ListParameters) =>
  queryOptions({
    queryKey: ['deliveries', 'newest', parameters],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/developer/deliveries', { params: { query: parameters }, signal }))).data,
  });

/** The deliveries page by page, newest first. */
export function useDeliveryPages(parameters: ListParameters, refetchMs: number | false = false) {
  const api = useApi();
  return useCursorPages({
    key: ['deliveries', 'pages', parameters],
    fetchPage: (position, signal) =>
      unwrap(api.GET('/developer/deliveries', { params: { query: { ...parameters, ...position } }, signal })),
    refetchMs,
  });
}

/** The first keys of the queries that show deliveries. */
export const deliveryKeys = [['deliveries'], ['delivery'], ['message']] as const;

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
  const due = delivery.due_at;
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
      await Promise.all(deliveryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}
