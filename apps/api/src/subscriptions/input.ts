import { z } from 'zod';
import { eventNames } from '@ringback/callbacks';
import type { NewSubscription } from '@ringback/database';
import { requiredText, validate } from '../http/validate.js';

const schema = z.object({
  event: z.enum(eventNames, {
    error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
  }),
  identity: z.preprocess((value) => ((value ?? '') === '' ? 'all' : value), requiredText('identity', 255)),
  webhook_id: z
    .string({
      error: ({ input }) =>
        (input ?? '') === '' ? 'The webhook id field is required.' : 'The selected webhook id is invalid.',
    })
    .min(1, 'The webhook id field is required.'),
});

/** Reads `{event, identity, webhook_id}`; `identity` is `all` when absent. */
export function readSubscription(body: unknown): NewSubscription {
  const { event, identity, webhook_id: webhookId } = validate(schema, body);
  return { event, identity, webhookId: webhookId.toLowerCase() };
}
