import { z } from 'zod';
import type { NewSubscription, Subscription } from '@ringback/ledger';
import { eventNames } from '@ringback/rules';
import { ignoredFieldWarnings, requiredText, validate, webhookIdQuery } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { exampleNumberedPage, numberedPageQuery, numberedPageSchemas } from '../http/pages.js';
import { emptyList, formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook } from '../webhooks/schema.js';

const blankToUndefined = (value: unknown) => {
  const isBlank = value === null || (typeof value === 'string' && value.trim() === '');
  return isBlank ? undefined : value;
};

const newSubscriptionSchema = z
  .object({
    event: z.enum(eventNames, {
      error: ({ input }) => ((input ?? '') === '' ? 'The event field is required.' : 'The selected event is invalid.'),
    }),
    identity: z
      .preprocess(blankToUndefined, requiredText('identity', 255).optional())
      .optional()
      .meta({
        type: ['string', 'null'],
        description: 'The identity of the events. `all`, or an absent, empty or null value, means every identity.',
        documentedAs: { type: 'string', maxLength: 255 },
      }),
    webhook_id: z
      .string({
        error: ({ input }) =>
          (input ?? '') === '' ? 'The webhook id field is required.' : 'The selected webhook id is invalid.',
      })
      .min(1, 'The webhook id field is required.')
      .describe('The id of a webhook of the account that is not deleted.'),
  })
  .meta({ id: 'SubscriptionInput' });

export const newSubscriptionFields = Object.keys(newSubscriptionSchema.shape);

/** Reads `{event, identity, webhook_id}`; `identity` is `all` when absent. */
export function readSubscription(body: unknown): NewSubscription {
  const { event, identity = 'all', webhook_id: webhookId } = validate(newSubscriptionSchema, body);
  return { event, identity, webhookId: webhookId.toLowerCase() };
}

const subscriptionSchema = z
  .object({
    id: z.int(),
    event: z.string(),
    identity: z.string(),
    payload: z.unknown().meta({ description: 'Nothing: null, and `[]` in the response to a creation.' }),
    webhook_id: z.uuid(),
    created_at: timestampSchema,
  })
  .meta({ id: 'Subscription' });

export const subscriptionResource = (subscription: Subscription): z.infer<typeof subscriptionSchema> => ({
  id: subscription.id,
  event: subscription.event,
  identity: subscription.identity,
  payload: null,
  webhook_id: subscription.webhookId,
  created_at: formatTimestamp(subscription.createdAt),
});

/** The subscription that all examples show. */
export const exampleSubscription: Subscription = {
  id: 1042,
  accountId: exampleWebhook.accountId,
  event: 'sms:message:status',
  identity: 'all',
  webhookId: exampleWebhook.id,
  createdAt: new Date('2026-01-15T09:31:00Z'),
};

const subscriptionPath = { id: z.int().describe('The id of a subscription of the account.') };
const path = { id: exampleSubscription.id };

export const subscriptionOperations = tagOperations('Subscriptions', [
  {
    id: 'listSubscriptions',
    route: 'GET /developer/subscriptions',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List subscriptions',
    description: 'Newest first.',
    query: { ...numberedPageQuery, ...webhookIdQuery },
    errors: [422],
    response: { message: 'Subscriptions List', data: z.array(subscriptionSchema), extraFields: numberedPageSchemas },
    example: {
      data: [subscriptionResource(exampleSubscription)],
      extraFields: exampleNumberedPage('/developer/subscriptions', 1),
    },
  },
  {
    id: 'createSubscription',
    route: 'POST /developer/subscriptions',
    scope: 'write',
    summary: 'Subscribe a webhook to an event',
    description:
      'If the same subscription exists, the response shows it. An account may have at most 1,000 subscriptions ' +
      'for the same event and identity. 403 for a portal session that is restricted to some webhooks.',
    body: newSubscriptionSchema,
    response: {
      message: 'Subscription Saved Successfully',
      data: subscriptionSchema,
      extraFields: ignoredFieldWarnings,
    },
    example: {
      body: { event: 'rcs:message:in', identity: 'number:1', webhook_id: exampleWebhook.id },
      data: {
        ...subscriptionResource({ ...exampleSubscription, event: 'rcs:message:in', identity: 'number:1' }),
        payload: [],
      },
    },
  },
  {
    id: 'showSubscription',
    route: 'GET /developer/subscriptions/{id}',
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show a subscription',
    path: subscriptionPath,
    response: { message: 'Subscription', data: subscriptionSchema },
    example: { path, data: subscriptionResource(exampleSubscription) },
  },
  {
    id: 'deleteSubscription',
    route: 'DELETE /developer/subscriptions/{id}',
    forRestrictedSession: 'filters',
    scope: 'write',
    summary: 'Delete a subscription',
    path: subscriptionPath,
    response: { message: 'Subscription Deleted successfully', data: emptyList },
    example: { path, data: [] },
  },
]);
