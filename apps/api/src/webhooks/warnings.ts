import { z } from 'zod';
import { eventNames, placeholdersOf, unknownPlaceholders } from '@ringback/rules';
import type { Webhook } from '@ringback/ledger';
import { sampleValues } from '../events/catalogue.js';

export const warningFields = {
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'The fields that were ignored because they are unknown, and probable mistakes in the templates; present when there are any.',
    ),
};

const noPlaceholder = 'The payload has no placeholder: every callback has the same body.';
const encodedBraces = (field: string) =>
  `The ${field} has %7B%7B, which is not a placeholder. Write {{ and }} as they are.`;

/**
 * Warns of what probably was not meant: a body template without any placeholder (also in the uri), encoded braces, and
 * a placeholder that no subscribed event has. A webhook without subscriptions may get any event.
 */
export function templateWarnings({ uri, bodyTemplate }: Webhook, subscribedEvents: string[]): string[] {
  const templates = { uri, bodyTemplate };
  const events = eventNames.filter((name) => subscribedEvents.length === 0 || subscribedEvents.includes(name));
  return [
    ...(bodyTemplate !== null && placeholdersOf(templates).length === 0 ? [noPlaceholder] : []),
    ...(/%7B%7B/i.test(uri) ? [encodedBraces('uri')] : []),
    ...(/%7B%7B/i.test(JSON.stringify(bodyTemplate)) ? [encodedBraces('payload')] : []),
    ...unknownPlaceholders(templates, sampleValues(events)),
  ];
}
