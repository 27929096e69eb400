import { z } from 'zod';
import { exampleIds } from '../openapi/example-ids.js';
import { tagOperations } from '../openapi/operation.js';
import { eventCatalogue, eventKindSchema } from './catalogue.js';
import { eventsSchema, pushedEventSchema } from './input.js';
import { maxLines } from './push-lines.js';

const pushedEvent = z.object({
  id: z.uuid().describe('The id of the event. For a duplicate, that of the event that was accepted before.'),
  state: z
    .enum(['accepted', 'duplicate'])
    .describe('`duplicate`: the event was pushed before, and this push has no effect.'),
});
const line = z.int().describe('The number of the line, from 1. Blank lines count.');
const errors = z.record(z.string(), z.array(z.string())).describe('The error messages of each field.');
const answeredLine = z
  .union([
    pushedEvent.extend({ line }),
    z.object({
      line,
      state: z
        .enum(['invalid', 'refused'])
        .describe(
          '`invalid`: only this line is not stored. `refused`: a limit is reached, and no further line was read.',
        ),
      errors,
    }),
    z.object({
      line,
      state: z.literal('failed').describe('The event could not be stored for the moment. Push the line again.'),
    }),
  ])
  .meta({ id: 'PushedLine' });

const exampleEvent = {
  event: 'sms:message:status',
  account_id: exampleIds.accountId,
  webhook_id: exampleIds.webhookId,
  payload: {
    id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1',
    mobile: '918921269000',
    status: 'DELIVRD',
    credits: '2.0000',
    units: 2,
    deliv_time: '2026-01-15 09:32:07',
    deliv_at: '1768469527',
    custom: 'order-1042',
  },
};
const exampleEventId = '0199f3a0-8d22-7abc-8def-0123456789ab';

export const eventOperations = tagOperations('Events', [
  {
    id: 'listEventKinds',
    route: 'GET /developer/events',
    forRestrictedSession: 'unaffected',
    scope: 'read',
    summary: 'List the kinds of events',
    description:
      'Each has the JSON Schema of its callback body and an example. Fields may be absent, and others may be present.',
    response: { message: 'OK', data: z.array(eventKindSchema) },
    example: { data: eventCatalogue() },
  },
  {
    id: 'pushEvents',
    route: 'POST /events',
    summary: 'Push events',
    description:
      'For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The response is ' +
      'sent when the events are durable, and has their ids in the same order. `account_id` may be absent when ' +
      '`webhook_id` is given. If one event is malformed, none is stored (422). An event with an unknown account or ' +
      'webhook is stored as rejected.\n\nA repeated event is a `duplicate` and has no further effect, so after a 503 ' +
      'the same request can be sent again. Events are the same if they have the same `event_id`, or else the same ' +
      '`payload` and `identity`. The order of keys and white space do not matter. Numbers are compared as they are ' +
      'written: `2.0000` differs from `2`. Events of different names, accounts or `webhook_id`s are never the same.\n\n' +
      `\`application/x-ndjson\` takes up to ${maxLines.toLocaleString('en')} events, one a line, 4 MiB a line and 64 MiB in ` +
      'all, and stores them in batches while they arrive. Each line, except blank ones, is answered in its order. An ' +
      'invalid line is not stored, and all others are. The body must arrive within 30 s.',
    callerKind: 'platform',
    header: {
      'Idempotency-Key': z
        .string()
        .max(255)
        .optional()
        .describe('The `event_id` of a single event that has none. A 422 with several events or NDJSON.'),
    },
    body: eventsSchema,
    lines: {
      body: pushedEventSchema,
      response: answeredLine,
      example: {
        body: [exampleEvent, { ...exampleEvent, payload: {} }],
        response: [
          { line: 1, id: exampleEventId, state: 'accepted' },
          { line: 2, state: 'invalid', errors: { 'payload.id': ['payload.id is required'] } },
        ],
      },
    },
    response: { code: 202, message: 'Accepted', data: z.array(pushedEvent) },
    example: {
      body: exampleEvent,
      data: [{ id: exampleEventId, state: 'accepted' }],
    },
  },
]);
