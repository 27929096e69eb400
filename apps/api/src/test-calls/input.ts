import { z } from 'zod';
import { type EventName, eventNames, parsePayload } from '@ringback/rules';
import { samplePayload } from '../events/samples.js';
import { validationError } from '../http/output/api-error.js';
import { memberText } from '../http/input/body.js';
import { validate } from '../http/input/validate.js';

/** A required event name. */
export const eventNameSchema = z.enum(eventNames, {
  error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
});

export const newTestCallSchema = z
  .object({
    event: eventNameSchema,
    payload: z
      .unknown()
      .optional()
      .meta({
        type: ['object', 'string', 'null'],
        description: 'The payload, as a platform would push it; an example when absent.',
      }),
  })
  .meta({ id: 'NewTestCall' });

/** Reads `{event, payload}`, and returns the payload as JSON text: an example of the event if the body has none. */
export function readTestCall(body: unknown): { event: EventName; payload: string } {
  const { event, payload } = validate(newTestCallSchema, body);
  return { event, payload: readPayload(event, payload, { field: 'payload', source: memberText(body, 'payload') }) };
}

type PayloadField = { field: string; source: string | undefined };

/**
 * The JSON text of a payload, or of an example if the payload is absent or null. The payload is the member `field` of
 * the body, and `source` is the text of this member. Throws a 422 with the errors of the field.
 */
export function readPayload(event: EventName, payload: unknown, { field, source }: PayloadField): string {
  if (payload === undefined || payload === null) return samplePayload(event);
  const parsed = parsePayload(event, payload, source);
  if (parsed.ok) return parsed.text;
  const renameField = (text: string) => text.replace(/^payload/, field);
  const errors = Object.entries(parsed.errors).map(
    ([key, texts]) => [renameField(key), texts.map(renameField)] as const,
  );
  throw validationError(Object.fromEntries(errors));
}
