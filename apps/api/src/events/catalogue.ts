import { z } from 'zod';
import {
  channelOf,
  type EventName,
  eventNames,
  type JsonObject,
  parseTemplateValues,
  plainBody,
  sampleEvent,
} from '@ringback/rules';
import { exampleIds } from '../http/operation.js';

const text = (description: string) => z.string().nullish().describe(description);
const isoTime = (of: string) => text(`${of}, ISO 8601.`);
const dateAndTime = (of: string) => text(`${of}, \`yyyy-mm-dd hh:mm:ss\`.`);
const unixTime = (of: string) => text(`${of}, Unix seconds.`);
const id = z.string().meta({
  type: ['string', 'integer'],
  description: 'The id of the message; an integer if the platform sent one.',
  documentedAs: { type: 'string' },
});
const delivered = 'Time of the delivery';
const received = 'Time at which the platform received the message';
const submitted = 'Time of the submission to the operator';

const report = z.looseObject({
  id,
  mobile: text('The mobile number, with country code.'),
  status: text('The status, such as `DELIVRD`; the list of values is open.'),
  credits: text('The charged credits, a decimal with four places.'),
  units: z.int().nullish().describe('The number of parts of the SMS.'),
  deliv_time: dateAndTime(delivered),
  sent_time: dateAndTime(received),
  submit_time: dateAndTime(submitted),
  deliv_at: unixTime(delivered),
  sent_at: unixTime(received),
  submit_at: unixTime(submitted),
  cid: text('The id that the caller gave.'),
  custom: text('The id that the caller gave.'),
});

const status = z.looseObject({
  id,
  channel: text('`rcs`.'),
  from: text('The id of the sender.'),
  to: text('The mobile number, with country code.'),
  status: text('`sent`, `delivered`, `read`, `failed` or `deleted`.'),
  delivered_at: isoTime(delivered),
  read_at: isoTime('Time of reading'),
  processed_at: isoTime('Time of processing'),
  submit_time: isoTime(submitted),
  timestamp: isoTime('Time of this status'),
  foreign_id: text('The id that the caller gave.'),
});

const inbound = z.looseObject({
  id,
  channels: z
    .unknown()
    .meta({ description: 'Objects with `name` (`rcs`) and `to`, the number that the message was sent to.' }),
  recipient: z.unknown().meta({ description: '`from`, the number of the sender, and `user`, the data of the sender.' }),
  message: z.unknown().meta({
    description:
      '`type` and `payload`. The payload of a `text` has `text`; of an `image` it has `url`, `caption` and `filename`.',
  }),
});

const pause = z.looseObject({
  webhook_id: z.string(),
  name: z.string().describe('The name of the webhook.'),
  reason: z
    .enum(['failing', 'gone'])
    .describe('`failing`: all its callbacks failed for a long time. `gone`: it responded with 410.'),
  failing_since: z.string().describe('The time of the first failure since the last success, ISO 8601.'),
  paused_at: z.string().describe('The time of the pause, ISO 8601.'),
});

const envelope = <T extends z.ZodType>(event: EventName, payload: T) => z.object({ event: z.literal(event), payload });

/** What a callback of each event reports, and its body without a template. */
export const eventKinds: Record<EventName, { description: string; body: z.ZodType }> = {
  'sms:message:status': { description: 'The delivery report of an SMS.', body: report },
  'rcs:message:status': {
    description: 'The status of a sent RCS message has changed.',
    body: envelope('rcs:message:status', status),
  },
  'rcs:message:in': { description: 'An RCS message was received.', body: envelope('rcs:message:in', inbound) },
  'webhook:paused': {
    description:
      'A webhook of the account was paused because it kept failing. The event is delivered by the SMS rules.',
    body: envelope('webhook:paused', pause),
  },
};

export const eventKindSchema = z
  .object({
    event: z.string(),
    channel: z.enum(['sms', 'rcs']),
    description: z.string(),
    schema: z
      .unknown()
      .meta({ type: 'object', description: 'The JSON Schema of the body of a callback without a template.' }),
    sample: z.unknown().meta({ type: 'object', description: 'An example of the body.' }),
  })
  .meta({ id: 'EventKind' });

const exampleTime = new Date('2026-01-15T09:32:07Z');
const messageId = 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1';

/** All kinds of events, each with an example and the schema of its callback body, which allows further fields. */
export const eventCatalogue = (): z.infer<typeof eventKindSchema>[] =>
  eventNames.map((event) => ({
    event,
    channel: channelOf(event),
    description: eventKinds[event].description,
    schema: z.toJSONSchema(eventKinds[event].body, {
      override: ({ jsonSchema }) => void delete jsonSchema.documentedAs,
    }),
    sample: JSON.parse(plainBody(event, JSON.stringify(samplePayloadOf(event)))),
  }));

function samplePayloadOf(event: EventName): object {
  const payload: object = JSON.parse(samplePayload(event, exampleTime));
  return 'id' in payload ? { ...payload, id: messageId } : payload;
}

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

// Fields that docs/reference/events.md names but that its examples lack.
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
