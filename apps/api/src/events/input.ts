import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import { type FieldErrors, validationError } from '../http/api-error.js';

const most = 1_000;

/**
 * Reads one event, or an array of up to 1,000. Throws a 422 that names the index and the field of everything that is
 * wrong, so that nothing of a batch is taken unless all of it can be.
 */
export function readEvents(body: unknown): PlatformEvent[] {
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0) throw validationError({ events: ['At least one event is required.'] });
  if (items.length > most) throw validationError({ events: [`No more than ${most} events are taken at once.`] });
  const errors: FieldErrors = {};
  const events = items.flatMap((item, index) => {
    const parsed = parseEvent(item);
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
