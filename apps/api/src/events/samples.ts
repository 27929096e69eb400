import { plainBody, type EventName, type JsonObject, parseTemplateValues, sampleEvent } from '@ringback/rules';
import { exampleIds } from '../openapi/example-ids.js';

const pausedWebhook = {
  webhook_id: exampleIds.webhookId,
  name: 'orders',
  reason: 'failing',
  failing_since: '2026-01-10T09:32:07.000Z',
  paused_at: '2026-01-15T09:32:07.000Z',
};

const sampleKinds = {
  'sms:message:status': 'sms',
  'rcs:message:status': 'rcs-status',
  'rcs:message:in': 'rcs-in',
} as const;

/** The JSON text of an example payload of the event. */
export const samplePayload = (event: EventName, now?: Date): string =>
  JSON.stringify(event === 'webhook:paused' ? pausedWebhook : sampleEvent(sampleKinds[event], {}, now).payload);

const valuesOf = (event: EventName, payload: string) => parseTemplateValues(plainBody(event, payload));

// Fields that the specification names but that its examples lack.
const furtherPayloads: [EventName, object][] = [
  ['rcs:message:status', { submit_time: '2026-01-15T09:32:03Z' }],
  ['rcs:message:in', { message: { type: 'image', payload: { url: 'https://…', caption: 'Front', filename: '' } } }],
];

/** The values in which placeholders are looked up: one object or more for each of these events. */
export const sampleValues = (events: EventName[]): JsonObject[] => [
  ...events.map((event) => valuesOf(event, samplePayload(event))),
  ...furtherPayloads
    .filter(([event]) => events.includes(event))
    .map(([event, payload]) => valuesOf(event, JSON.stringify(payload))),
];
