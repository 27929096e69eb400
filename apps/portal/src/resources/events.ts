import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../api/client.js';
import type { EventName } from '../api/schemas.js';

const labels: Record<EventName, string> = {
  'sms:message:status': 'SMS delivery report',
  'rcs:message:status': 'RCS status',
  'rcs:message:in': 'RCS inbound message',
  'webhook:paused': 'Webhook paused',
};

export const eventNames = Object.keys(labels) as EventName[];

const isEventName = (name: string): name is EventName => Object.hasOwn(labels, name);

/** The label of an event; an unknown name as it is. */
export const eventLabel = (name: string) => (isEventName(name) ? labels[name] : name);

export const eventOptions = eventNames.map((value) => ({ value, label: `${labels[value]} (${value})` }));

/** Query for the kinds of events, each with an example and the schema of its callback. */
export const eventKindsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['events', 'kinds'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/developer/events', { signal }))).data,
    staleTime: Infinity,
  });
