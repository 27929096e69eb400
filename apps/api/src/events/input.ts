import { z } from 'zod';
import { eventSchema, memberSources, parseEvent, type PlatformEvent } from '@ringback/callbacks';
import { type FieldErrors, validationError } from '../http/api-error.js';
import { parseBody } from '../http/body.js';

const most = 1_000;
// Empty is absent, which the schema of what is kept does not say.
const mayBeEmpty = { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }] } as const;
const { identity, event_id } = eventSchema.shape;
const event = eventSchema
  .safeExtend({ identity: identity.meta(mayBeEmpty), event_id: event_id.meta(mayBeEmpty) })
  .meta({ id: 'Event' });

/** What `readEvents` takes, as the document tells of it. */
export const eventsSchema = z.union([event, z.array(event).min(1).max(most)]);

/**
 * Reads the text of a request's body: one event, or an array of up to 1,000. The text of each `payload` object is kept
 * as it was written. Throws a 400 when it is not JSON or nested too deeply, and a 422 that names the index and the
 * field of everything that is wrong, so that nothing of a batch is taken unless all of it can be.
 */
export function readEvents(text: string): PlatformEvent[] {
  const body = parseBody(text);
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0) throw validationError({ events: ['At least one event is required.'] });
  if (items.length > most) throw validationError({ events: [`No more than ${most} events are taken at once.`] });
  const errors: FieldErrors = {};
  const sources = memberSources(text, 'payload');
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
