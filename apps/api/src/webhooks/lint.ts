import { z } from 'zod';
import { eventNames, placeholdersOf, unknownPlaceholders } from '@ringback/callbacks';
import type { Webhook } from '@ringback/database';
import { knownScopes } from '../events/samples.js';

export const warningFields = {
  warnings: z
    .array(z.string())
    .optional()
    .describe('What the templates can hardly be meant to do; present when there is anything.'),
};

const noPlaceholder = 'The payload has no placeholder: every callback has the same body.';
const encodedBraces = 'The uri has %7B%7B, which is no placeholder. Write {{ and }} as they are.';

/**
 * `warnings` beside the data of an answer: a template without any placeholder, encoded braces, and placeholders that none
 * of the events has which the webhook is subscribed to. Without a subscription it may be called with any event.
 */
export function warningsOf({ uri, payload: template }: Webhook, subscribed: string[]): { warnings?: string[] } {
  const templates = { uri, template };
  const events = eventNames.filter((name) => subscribed.length === 0 || subscribed.includes(name));
  const warnings = [
    ...(template !== null && placeholdersOf(templates).length === 0 ? [noPlaceholder] : []),
    ...(/%7B%7B/i.test(uri) ? [encodedBraces] : []),
    ...unknownPlaceholders(templates, knownScopes(events)),
  ];
  return warnings.length > 0 ? { warnings } : {};
}
