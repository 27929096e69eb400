import { z } from 'zod';
import { type AllowList, type EventName, type JsonObject, parseAllowList } from '@ringback/rules';
import { memberText, withExactNumbers } from '../http/input/body.js';
import { validate } from '../http/input/validate.js';
import { eventNameSchema, readPayload } from '../test-calls/input.js';
import { templateFields } from '../webhooks/input.js';

const createPreviewSchema = (allowList: AllowList) => {
  const { uri, payload } = templateFields(allowList);
  return z.object({
    event: eventNameSchema,
    uri: uri.optional(),
    payload,
    sample: z
      .unknown()
      .optional()
      .meta({ type: ['object', 'string', 'null'], description: 'The payload of an event; an example when absent.' }),
  });
};

export const previewInputSchema = createPreviewSchema(parseAllowList('')).meta({ id: 'NewPreview' });

export type PreviewInput = { event: EventName; uri: string | null; bodyTemplate: JsonObject | null; payload: string };

/** Reads `{event, uri, payload, sample}`: the templates, and the event with which they are rendered. */
export function readPreview(body: unknown, allowList: AllowList): PreviewInput {
  const {
    event,
    uri = null,
    payload: bodyTemplate = null,
    sample,
  } = validate(createPreviewSchema(allowList), withExactNumbers(body, 'payload'));
  return {
    event,
    uri,
    bodyTemplate,
    payload: readPayload(event, sample, { field: 'sample', source: memberText(body, 'sample') }),
  };
}
