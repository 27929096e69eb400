import { z } from 'zod';
import type { Webhook } from '@ringback/database';
import { examplePage, pageFields, pageQuery } from '../http/page.js';
import { under } from '../openapi/operation.js';
import { newWebhookSchema, webhookChangesSchema, webhookFilterQuery } from './input.js';
import { warningFields } from './lint.js';
import { shownWebhookSchema, webhookResource, webhookSchema } from './resource.js';

/** The webhook of the examples. */
export const exampleWebhook: Webhook = {
  id: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  accountId: 'a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c',
  name: 'orders',
  uri: 'https://example.com/callbacks',
  secret: 'a-bearer-of-your-own',
  verificationCode: 'verify-me',
  active: true,
  payload: null,
  signing: true,
  rateLimit: null,
  pausedAt: null,
  pauseReason: null,
  createdAt: new Date('2026-01-15T09:30:00Z'),
  updatedAt: new Date('2026-01-15T09:30:00Z'),
  deletedAt: null,
  unreadable: [],
};

export const whichWebhookPath = { id: z.uuid().describe('The id of a webhook of the account.') };
const path = { id: exampleWebhook.id };
const { name, uri, secret } = exampleWebhook;

export const webhookOperations = under('Webhooks', [
  {
    id: 'listWebhooks',
    at: 'GET /developer/webhooks',
    search: true,
    scope: 'read',
    summary: 'List webhooks',
    about: 'Newest first, those that are not deleted. A filter that does not exist is a 400.',
    query: { ...pageQuery, ...webhookFilterQuery },
    answer: { message: 'Created successfully', data: z.array(webhookSchema), more: pageFields },
    errors: [422],
    example: { data: [webhookResource(exampleWebhook)], more: examplePage('/developer/webhooks', 1) },
  },
  {
    id: 'createWebhook',
    at: 'POST /developer/webhooks',
    scope: 'write',
    summary: 'Create a webhook',
    about:
      'With a `token`, a verification challenge is sent to the address; creation does not wait for it. With ' +
      'placeholders in the `uri` or with a `payload` the webhook is composed.',
    body: newWebhookSchema,
    answer: { message: 'Created successfully', data: webhookSchema, more: warningFields },
    example: { body: { name, uri, secret, token: 'verify-me' }, data: webhookResource(exampleWebhook) },
  },
  {
    id: 'showWebhook',
    at: 'GET /developer/webhooks/{id}',
    scope: 'read',
    summary: 'Show a webhook',
    about: 'Here, and only here, `status` is a number.',
    path: whichWebhookPath,
    answer: { message: 'OK', data: shownWebhookSchema },
    example: { path, data: webhookResource(exampleWebhook, 'number') },
  },
  {
    id: 'editWebhook',
    at: 'PUT /developer/webhooks/{id}',
    scope: 'write',
    summary: 'Edit a webhook',
    about: 'Retries that are still to come use the webhook as it is then. What is left out keeps its value.',
    path: whichWebhookPath,
    body: webhookChangesSchema,
    answer: { message: 'Updated successfully', data: webhookSchema, more: warningFields },
    example: {
      path,
      body: { name: 'orders, paused', uri, status: 0 },
      data: webhookResource({ ...exampleWebhook, name: 'orders, paused', active: false }),
    },
  },
  {
    id: 'patchWebhook',
    at: 'PATCH /developer/webhooks/{id}',
    scope: 'write',
    summary: 'Edit a webhook, by PATCH',
    about: 'The same as PUT.',
    path: whichWebhookPath,
    body: webhookChangesSchema,
    answer: { message: 'Updated successfully', data: webhookSchema, more: warningFields },
    example: {
      path,
      body: { name: 'orders, paused', uri, status: 0 },
      data: webhookResource({ ...exampleWebhook, name: 'orders, paused', active: false }),
    },
  },
  {
    id: 'deleteWebhook',
    at: 'DELETE /developer/webhooks/{id}',
    scope: 'write',
    summary: 'Delete a webhook',
    about: 'It is not called any more, and can be restored.',
    path: whichWebhookPath,
    answer: { message: 'Deleted successfully', data: z.array(z.never()) },
    example: { path, data: [] },
  },
  {
    id: 'restoreWebhook',
    at: 'POST /developer/webhooks/{id}/restore',
    scope: 'write',
    summary: 'Restore a deleted webhook',
    about: 'It is active afterwards, whatever it was. 422 when the account has as many webhooks as it may.',
    path: whichWebhookPath,
    answer: { message: 'Restored successfully', data: webhookSchema },
    errors: [422],
    example: { path, data: webhookResource(exampleWebhook) },
  },
]);
