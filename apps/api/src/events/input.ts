import { z } from 'zod';
import {
  eventSchema,
  hasAtMostCharacters,
  memberTexts,
  parseEvent,
  type ParsedEvent,
  type NewEvent,
} from '@ringback/rules';
import { type FieldErrors, validationError } from '../http/output/api-error.js';
import { parseJsonBody } from '../http/input/body.js';

const maxEvents = 1_000;
/** Maximum bytes of a body, or of one line of NDJSON. */
export const maxEventsBytes = 4 * 1024 * 1024;
// parseEvent treats an empty string as absent. `eventSchema` does not say so, but the OpenAPI document does.
const mayBeEmpty = { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }] } as const;
const { identity, event_id } = eventSchema.shape;
/** One event, for the OpenAPI document. */
export const pushedEventSchema = eventSchema
  .safeExtend({ identity: identity.meta(mayBeEmpty), event_id: event_id.meta(mayBeEmpty) })
  .meta({ id: 'Event' });

/** The input of `readEvents`, for the OpenAPI document. */
export const eventsSchema = z.union([pushedEventSchema, z.array(pushedEventSchema).min(1).max(maxEvents)]);

const keyHeader = 'Idempotency-Key';
const onlyForOneEvent = 'is only for a single event: give each event its own event_id';
const keyError = (problem: string) => validationError({ [keyHeader]: [`${keyHeader} ${problem}`] });

/**
 * Parses the text of a request body: one event, or an array of up to 1,000. Each event keeps the source text of its
 * `payload`. Throws a 400 if the text is not JSON or is nested too deeply, and a 422 for any other text. If an event is
 * invalid, the 422 has the field of each error, and in an array the index of its event: an array is accepted as a whole
 * or not at all. `idempotencyKey` is the header of that name: the `event_id` of a single event that has none.
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
