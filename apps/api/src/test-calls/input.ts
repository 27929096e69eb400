import { z } from 'zod';
import { type EventName, eventNames, parsePayload } from '@ringback/callbacks';
import { samplePayload } from '../events/samples.js';
import { validationError } from '../http/api-error.js';
import { memberText } from '../http/body.js';
import { validate } from '../http/validate.js';

/** The name of an event, required. */
export const eventName = z.enum(eventNames, {
  error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
});

export const newTestCallSchema = z
  .object({
    event: eventName,
    payload: z
      .unknown()
      .optional()
      .meta({ type: ['object', 'string', 'null'], description: 'As a platform would push it; a sample when absent.' }),
  })
  .meta({ id: 'NewTestCall' });

/** Reads `{event, payload}`: the event's payload as JSON text, a sample of the event when there is none. */
export function readTestCall(body: unknown): { event: EventName; payload: string } {
  const { event, payload } = validate(newTestCallSchema, body);
  return { event, payload: readPayload(event, payload, { field: 'payload', source: memberText(body, 'payload') }) };
}

type Place = { field: string; source: string | undefined };

/**
 * The JSON text of a payload that was given as `field`, with `source` as its text, or of a sample. Throws the 422 that
 * names the field.
 */
export function readPayload(event: EventName, payload: unknown, { field, source }: Place): string {
  if (payload === undefined || payload === null) return samplePayload(event);
  const parsed = parsePayload(event, payload, source);
  if (parsed.ok) return parsed.text;
  const named = (text: string) => text.replace(/^payload/, field);
  const errors = Object.entries(parsed.errors).map(([key, texts]) => [named(key), texts.map(named)] as const);
  throw validationError(Object.fromEntries(errors));
}
