import { z } from 'zod';
import type { Subscription } from '@ringback/ledger';
import { webhookIdQuery } from '../deliveries/filter.js';
import { exampleNumberedPage, numberedPageQuery, numberedPageSchemas } from '../http/pages/numbered-page.js';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { ignoredFieldWarnings } from '../http/input/validate.js';
import { newSubscriptionSchema } from './input.js';
import { savedSubscriptionSchema, subscriptionResource, subscriptionSchema } from './resource.js';

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
      data: savedSubscriptionSchema,
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
    response: { message: 'Subscription Deleted successfully', data: z.array(z.never()) },
    example: { path, data: [] },
  },
]);
