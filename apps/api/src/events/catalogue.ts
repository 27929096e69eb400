import { z } from 'zod';
import { bodyOf, channelOf, type EventName, eventNames } from '@ringback/callbacks';
import { samplePayload } from './samples.js';

const text = (description: string) => z.string().nullish().describe(description);
const time = (of: string) => text(`${of}, ISO 8601.`);
const clock = (of: string) => text(`${of}, \`yyyy-mm-dd hh:mm:ss\`.`);
const unix = (of: string) => text(`${of}, Unix seconds.`);
const id = z
  .string()
  .meta({ type: ['string', 'integer'], description: 'The id of the message, an integer where the platform sent one.' });
const [delivered, received, submitted] = ['Delivery', 'When the request was received', 'When it went to the operator'];

const report = z.looseObject({
  id,
  mobile: text('The number, with country code.'),
  status: text('An open list; `DELIVRD` is delivered.'),
  credits: text('Credits charged, a decimal with four places.'),
  units: z.int().nullish().describe('How many parts the SMS has.'),
  deliv_time: clock(delivered),
  sent_time: clock(received),
  submit_time: clock(submitted),
  deliv_at: unix(delivered),
  sent_at: unix(received),
  submit_at: unix(submitted),
  cid: text('An id of yours.'),
  custom: text('An id of yours.'),
});

const status = z.looseObject({
  id,
  channel: text('`rcs`.'),
  from: text('The sender.'),
  to: text('The number, with country code.'),
  status: text('`sent`, `delivered`, `read`, `failed` or `deleted`.'),
  delivered_at: time('When it reached the handset'),
  read_at: time('When it was read'),
  processed_at: time('When it was processed'),
  submit_time: time(submitted),
  timestamp: time('Of this status'),
  foreign_id: text('An id of yours.'),
});

const inbound = z.looseObject({
  id,
  channels: z.unknown().meta({ description: 'Each with `name` (`rcs`) and `to`, the number that it was sent to.' }),
  recipient: z.unknown().meta({ description: '`from`, the number that it came from, and `user`, who that is.' }),
  message: z.unknown().meta({
    description: '`type` and `payload`: of `text` its `text`, of `image` its `url`, `caption` and `filename`.',
  }),
});

const pause = z.looseObject({
  webhook_id: z.string(),
  name: z.string().describe('The name of the webhook.'),
  reason: z.enum(['failing', 'gone']).describe('It failed for long without a success, or answered 410.'),
  failing_since: z.string().describe('Since when it failed, ISO 8601.'),
  paused_at: z.string().describe('ISO 8601.'),
});

const envelope = <T extends z.ZodType>(event: EventName, payload: T) =>
  z.object({ event: z.literal(event), payload: payload });

const kinds: Record<EventName, { description: string; body: z.ZodType }> = {
  'sms:message:status': { description: 'An SMS has a delivery report.', body: report },
  'rcs:message:status': {
    description: 'The status of an RCS message that was sent has changed.',
    body: envelope('rcs:message:status', status),
  },
  'rcs:message:in': { description: 'An RCS message came in.', body: envelope('rcs:message:in', inbound) },
  'webhook:paused': {
    description: 'A webhook of the account was paused. Ringback reports it; it goes by the rules of SMS.',
    body: envelope('webhook:paused', pause),
  },
};

export const eventKindSchema = z
  .object({
    event: z.enum(eventNames),
    channel: z.enum(['sms', 'rcs']),
    description: z.string(),
    schema: z
      .unknown()
      .meta({ type: 'object', description: 'JSON Schema of the body of a callback, without template.' }),
    sample: z.unknown().meta({ type: 'object', description: 'Such a body.' }),
  })
  .meta({ id: 'EventKind' });

const then = new Date('2026-01-15T09:32:07Z');
const messageId = 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1';

/** Every kind of event: what the body of its callbacks is like, and a sample. Fields may be absent, and others come. */
export const eventCatalogue = (): z.infer<typeof eventKindSchema>[] =>
  eventNames.map((event) => ({
    event,
    channel: channelOf(event),
    description: kinds[event].description,
    schema: z.toJSONSchema(kinds[event].body),
    sample: JSON.parse(bodyOf(event, JSON.stringify(samplePayloadOf(event)))),
  }));

function samplePayloadOf(event: EventName): object {
  const payload: object = JSON.parse(samplePayload(event, then));
  return 'id' in payload ? { ...payload, id: messageId } : payload;
}
