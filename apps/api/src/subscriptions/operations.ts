import { z } from 'zod';
import type { Subscription } from '@ringback/database';
import { examplePage, pageFields, pageQuery } from '../http/page.js';
import { under } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { newSubscriptionSchema } from './input.js';
import { savedSubscriptionSchema, subscriptionResource, subscriptionSchema } from './resource.js';

/** The subscription of the examples. */
export const exampleSubscription: Subscription = {
  id: 1042,
  accountId: exampleWebhook.accountId,
  event: 'sms:message:status',
  identity: 'all',
  webhookId: exampleWebhook.id,
  createdAt: new Date('2026-01-15T09:31:00Z'),
};

const whichSubscription = { id: z.int().describe('The id of a subscription of the account.') };
const path = { id: exampleSubscription.id };

export const subscriptionOperations = under('Subscriptions', [
  {
    id: 'listSubscriptions',
    at: 'GET /developer/subscriptions',
    search: true,
    scope: 'read',
    summary: 'List subscriptions',
    about: 'Newest first.',
    query: pageQuery,
    answer: { message: 'Subscriptions List', data: z.array(subscriptionSchema), more: pageFields },
    example: { data: [subscriptionResource(exampleSubscription)], more: examplePage('/developer/subscriptions', 1) },
  },
  {
    id: 'createSubscription',
    at: 'POST /developer/subscriptions',
    scope: 'write',
    summary: 'Subscribe a webhook to an event',
    about:
      'The same again answers with the subscription that stands. An event may have at most 1,000 of an account for the same ' +
      'identity.',
    body: newSubscriptionSchema,
    answer: { message: 'Subscription Saved Successfully', data: savedSubscriptionSchema },
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
    at: 'GET /developer/subscriptions/{id}',
    scope: 'read',
    summary: 'Show a subscription',
    path: whichSubscription,
    answer: { message: 'Subscription', data: subscriptionSchema },
    example: { path, data: subscriptionResource(exampleSubscription) },
  },
  {
    id: 'deleteSubscription',
    at: 'DELETE /developer/subscriptions/{id}',
    scope: 'write',
    summary: 'Delete a subscription',
    path: whichSubscription,
    answer: { message: 'Subscription Deleted successfully', data: z.array(z.never()) },
    example: { path, data: [] },
  },
]);
