import { z } from 'zod';
import type { StoreResult } from '@ringback/ledger';
import {
  eventSchema,
  hasAtMostCharacters,
  memberTexts,
  type NewEvent,
  parseEvent,
  type ParsedEvent,
} from '@ringback/rules';
import { parseJsonBody } from '../http/body.js';
import { exampleIds, tagOperations } from '../http/operation.js';
import { type FieldErrors, validationError } from '../http/response.js';
import { anyObject } from '../openapi/schemas.js';
import { eventCatalogue, eventKindSchema } from './catalogue.js';

const maxEvents = 1_000;
/** Maximum bytes of a body of JSON, or of one line of NDJSON. */
export const maxEventsBytes = 4 * 1024 * 1024;
/** Maximum lines of a body of NDJSON. */
export const maxLines = 10_000;
// parseEvent treats an empty string as absent. `eventSchema` does not say so, but the OpenAPI document does.
const mayBeEmpty = { documentedAs: { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }] } };
/** One event, for the OpenAPI document. */
const newEventSchema = eventSchema
  .safeExtend({
    identity: eventSchema.shape.identity.meta(mayBeEmpty),
    event_id: eventSchema.shape.event_id.meta(mayBeEmpty),
    payload: eventSchema.shape.payload.meta({ documentedAs: anyObject }),
  })
  .meta({ id: 'Event' });

/** The input of `readEvents`, for the OpenAPI document. */
const newEventsSchema = z.union([newEventSchema, z.array(newEventSchema)]).meta({
  documentedAs: { type: 'array', items: { $ref: '#/$defs/Event' }, minItems: 1, maxItems: maxEvents },
});

const keyHeader = 'Idempotency-Key';
const onlyForOneEvent = 'is only for a single event: give each event its own event_id';
const keyError = (problem: string) => validationError({ [keyHeader]: [`${keyHeader} ${problem}`] });

/**
 * Parses a body: one event, or an array of up to 1,000, which is accepted as a whole or not at all. Each event keeps
 * the source text of its `payload`. Throws a 400 for text that is not JSON or nested too deeply, else a 422 with the
 * field of each error (in an array, after the event's index). `idempotencyKey` is the `event_id` of a single event that
 * has none.
 */
export function readEvents(text: string, idempotencyKey = ''): NewEvent[] {
  const body = parseJsonBody(text);
  // An array passes too. The message does not mention arrays, because all endpoints have the same message.
  if (typeof body !== 'object' || body === null)
    throw validationError({ body: ['The request body must be a JSON object.'] });
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0) throw noEvents();
  if (items.length > maxEvents) throw validationError({ events: [`A request may have at most ${maxEvents} events.`] });
  const errors: FieldErrors = {};
  const sources = memberTexts(text, 'payload');
  const events = items.flatMap((item, index) => {
    const parsed = parseEvent(item, sources[index]);
    if (parsed.ok) return [parsed.event];
    const prefix = Array.isArray(body) ? `${index}.` : '';
    for (const [field, messages] of Object.entries(parsed.errors)) {
      errors[`${prefix}${field}`] = prefix === '' ? messages : messages.map((message) => `Event ${index}: ${message}`);
    }
    return [];
  });
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return idempotencyKey === '' ? events : [withEventId(events, idempotencyKey)];
}

function withEventId([only, ...others]: NewEvent[], idempotencyKey: string): NewEvent {
  if (!only || others.length > 0) throw keyError(onlyForOneEvent);
  if (!hasAtMostCharacters(idempotencyKey, 255)) throw keyError('must not be longer than 255 characters');
  return { ...only, platformEventId: only.platformEventId ?? idempotencyKey };
}

/** The error of a request without events. */
export const noEvents = () => validationError({ events: ['At least one event is required.'] });

/** Throws a 422 if a request whose lines are events has the header `Idempotency-Key`. */
export function refuseIdempotencyKey(idempotencyKey = ''): void {
  if (idempotencyKey !== '') throw keyError(onlyForOneEvent);
}

/** Parses a line of NDJSON, which should be one event. The event keeps the source text of its `payload`. */
export function readLine(text: string): ParsedEvent {
  try {
    return parseEvent(JSON.parse(text), memberTexts(text, 'payload')[0]);
  } catch {
    const reason = 'The line is not valid JSON.';
    return { ok: false, errors: { line: [reason] }, reason };
  }
}

const pushedEventSchema = z.object({
  id: z.uuid().describe('The id of the event. For a duplicate, that of the event that was accepted before.'),
  state: z
    .enum(['accepted', 'duplicate'])
    .describe('`duplicate`: the event was pushed before, and this push has no effect.'),
});
/** A stored event as the answer to a push shows it. */
export const pushedEventResource = ({ eventId, state }: StoreResult): z.infer<typeof pushedEventSchema> => ({
  id: eventId,
  state: state === 'duplicate' ? 'duplicate' : 'accepted',
});

const line = z.int().describe('The number of the line, from 1. Blank lines count.');
const errors = z.record(z.string(), z.array(z.string())).describe('The error messages of each field.');
const pushedLineSchema = z
  .object({
    line,
    state: z
      .enum(['accepted', 'duplicate', 'invalid', 'refused', 'failed'])
      .describe(
        '`accepted`, `duplicate`: as for JSON. `invalid`: only this line is not stored. `refused`: a limit is reached, ' +
          'and no further line was read. `failed`: the event could not be stored for the moment; push the line again.',
      ),
    id: pushedEventSchema.shape.id.optional(),
    errors: errors.optional(),
  })
  .meta({ id: 'PushedLine' });

/** The answer to a line of NDJSON. */
export type PushedLine = z.infer<typeof pushedLineSchema>;

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
      'all, and stores them in batches while they arrive. When all have arrived, each line, except blank ones, is ' +
      'answered in its order. An ' +
      'invalid line is not stored, and all others are. The body must arrive within 30 s, not counting the time in which Ringback stores.',
    callerKind: 'platform',
    scope: 'events',
    header: {
      'Idempotency-Key': z
        .string()
        .max(255)
        .optional()
        .describe('The `event_id` of a single event that has none. A 422 with several events or NDJSON.'),
    },
    body: newEventsSchema,
    lines: {
      body: newEventSchema,
      response: pushedLineSchema,
      example: {
        body: [exampleEvent, { ...exampleEvent, payload: {} }],
        response: [
          { line: 1, id: exampleEventId, state: 'accepted' },
          { line: 2, state: 'invalid', errors: { 'payload.id': ['payload.id is required'] } },
        ],
      },
    },
    response: { code: 202, message: 'Accepted', data: z.array(pushedEventSchema) },
    example: {
      body: [exampleEvent],
      data: [{ id: exampleEventId, state: 'accepted' }],
    },
  },
]);
