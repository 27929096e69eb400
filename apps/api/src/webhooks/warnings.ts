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
 * The probable mistakes in the templates of a webhook. There is a warning of a body template if neither the template
 * nor the uri has a placeholder, of encoded braces, and of each placeholder that is unknown in every event that the
 * webhook subscribes to. A webhook without subscriptions may get any event.
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
