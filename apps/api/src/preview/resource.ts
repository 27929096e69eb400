import { z } from 'zod';
import { bodyOf, eventNames, lintTemplates, parseExactJson, parseScope, render } from '@ringback/callbacks';
import type { PreviewInput } from './input.js';

export const previewSchema = z
  .object({
    event: z.enum(eventNames),
    sample: z.unknown().meta({ type: 'object', description: 'The payload that the placeholders were filled in from.' }),
    url: z.string().nullable().describe('Null when the request had no `uri`.'),
    body: z.string().describe('Byte for byte as it would be sent.'),
    warnings: z.array(z.string()).describe('Placeholders that are unknown, null or empty.'),
  })
  .meta({ id: 'Preview' });

/** What a callback would be. */
export function previewResource({ event, uri, template, payload }: PreviewInput): z.infer<typeof previewSchema> {
  const templates = { uri: uri ?? '', template };
  const { url, text, warnings } = render({ event, payload, ...templates });
  const found = [...warnings, ...lintTemplates(templates, parseScope(bodyOf(event, payload)))];
  const sample = parseExactJson(payload);
  return { event, sample, url: uri === null ? null : url, body: text, warnings: [...new Set(found)] };
}
