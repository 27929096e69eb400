import { z } from 'zod';
import {
  plainBody,
  eventNames,
  lintTemplates,
  parseExactJson,
  parseTemplateValues,
  renderUriAndBody,
} from '@ringback/rules';
import type { PreviewInput } from './input.js';

export const previewSchema = z
  .object({
    event: z.enum(eventNames),
    sample: z.unknown().meta({ type: 'object', description: 'The payload that the templates were rendered with.' }),
    url: z.string().nullable().describe('Null when the request had no `uri`.'),
    body: z.string().describe('The exact body of the callback.'),
    warnings: z
      .array(z.string())
      .describe('Placeholders that are unknown, null or empty, and results that are too long.'),
  })
  .meta({ id: 'Preview' });

/** The callback that the templates would produce, in the format of the API. */
export function previewResource({ event, uri, bodyTemplate, payload }: PreviewInput): z.infer<typeof previewSchema> {
  const templates = { uri: uri ?? '', bodyTemplate };
  const { url, text, warnings } = renderUriAndBody({ eventName: event, payload, ...templates });
  const allWarnings = [...warnings, ...lintTemplates(templates, parseTemplateValues(plainBody(event, payload)))];
  const sample = parseExactJson(payload);
  return { event, sample, url: uri === null ? null : url, body: text, warnings: [...new Set(allWarnings)] };
}
