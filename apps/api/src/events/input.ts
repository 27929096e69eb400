import { z } from 'zod';
import { eventSchema, memberTexts, parseEvent, type NewEvent } from '@ringback/callbacks';
import { type FieldErrors, validationError } from '../http/output/api-error.js';
import { parseJsonBody } from '../http/input/body.js';

const maxEvents = 1_000;
// parseEvent treats an empty string as absent. `eventSchema` does not say so, but the OpenAPI document does.
const mayBeEmpty = { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }] } as const;
const { identity, event_id } = eventSchema.shape;
const event = eventSchema
  .safeExtend({ identity: identity.meta(mayBeEmpty), event_id: event_id.meta(mayBeEmpty) })
  .meta({ id: 'Event' });

/** The input of `readEvents`, for the OpenAPI document. */
export const eventsSchema = z.union([event, z.array(event).min(1).max(maxEvents)]);

/**
 * Parses the text of a request body: one event, or an array of up to 1,000. Each event keeps the source text of its
 * `payload`. Throws a 400 if the text is not JSON or is nested too deeply, and a 422 for any other text. If an event is
 * invalid, the 422 has the field of each error, and in an array the index of its event: an array is accepted as a whole
 * or not at all.
 */
export function readEvents(text: string): NewEvent[] {
  const body = parseJsonBody(text);
  // An array passes too. The message does not mention arrays, because all endpoints have the same message.
  if (typeof body !== 'object' || body === null)
    throw validationError({ body: ['The request body must be a JSON object.'] });
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0) throw validationError({ events: ['At least one event is required.'] });
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
  return events;
}
