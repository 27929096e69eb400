import { z } from 'zod';
import { eventNames, foreignPlaceholder, hasStrayBraces, placeholdersOf, unknownPlaceholders } from '@ringback/rules';
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
const strayBraces = 'The payload has {{ that begins no placeholder. A placeholder is written {{name}}.';
const foreign = (found: string) =>
  `The uri has ${found}, which is not a placeholder: it is sent as it is. A placeholder is written {{name}}.`;

/**
 * Warns of what probably was not meant: a body template without any placeholder (also in the uri), encoded braces, `{{`
 * that begins no placeholder, the placeholders of other services, and a placeholder that no subscribed event has. A
 * webhook without subscriptions may get any event.
 */
export function templateWarnings({ uri, bodyTemplate }: Webhook, subscribedEvents: string[]): string[] {
  const templates = { uri, bodyTemplate };
  const events = eventNames.filter((name) => subscribedEvents.length === 0 || subscribedEvents.includes(name));
  const foreignInUri = foreignPlaceholder(uri);
  const bodyText = JSON.stringify(bodyTemplate);
  return [
    ...(bodyTemplate !== null && placeholdersOf(templates).length === 0 ? [noPlaceholder] : []),
    ...(/%7B%7B/i.test(uri) ? [encodedBraces('uri')] : []),
    ...(/%7B%7B/i.test(bodyText) ? [encodedBraces('payload')] : []),
    ...(foreignInUri === undefined ? [] : [foreign(foreignInUri)]),
    ...(hasStrayBraces(bodyText) ? [strayBraces] : []),
    ...unknownPlaceholders(templates, sampleValues(events)),
  ];
}
