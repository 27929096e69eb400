import { z } from 'zod';
import { eventNames } from '@ringback/rules';
import type { NewSubscription } from '@ringback/ledger';
import { requiredText, validate } from '../http/input/validate.js';

const blankToUndefined = (value: unknown) => {
  const isBlank = value === null || (typeof value === 'string' && value.trim() === '');
  return isBlank ? undefined : value;
};

export const newSubscriptionSchema = z
  .object({
    event: z.enum(eventNames, {
      error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
    }),
    identity: z
      .preprocess(blankToUndefined, requiredText('identity', 255).optional())
      .optional()
      .meta({
        type: ['string', 'null'],
        minLength: 0,
        description: 'The identity of the events. `all`, or an absent, empty or null value, means every identity.',
      }),
    webhook_id: z
      .string({
        error: ({ input }) =>
          (input ?? '') === '' ? 'The webhook id field is required.' : 'The selected webhook id is invalid.',
      })
      .min(1, 'The webhook id field is required.')
      .describe('The id of a webhook of the account that is not deleted.'),
  })
  .meta({ id: 'NewSubscription' });

export const newSubscriptionFields = Object.keys(newSubscriptionSchema.shape);

/** Reads `{event, identity, webhook_id}`; `identity` is `all` when absent. */
export function readSubscription(body: unknown): NewSubscription {
  const { event, identity = 'all', webhook_id: webhookId } = validate(newSubscriptionSchema, body);
  return { event, identity, webhookId: webhookId.toLowerCase() };
}
