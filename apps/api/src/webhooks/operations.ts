import { z } from 'zod';
import type { Webhook } from '@ringback/ledger';
import { exampleIds } from '../openapi/example-ids.js';
import { exampleNumberedPage, numberedPageQuery, numberedPageSchemas } from '../http/pages/numbered-page.js';
import { tagOperations } from '../openapi/operation.js';
import { ifMatchHeader } from './etag.js';
import { newWebhookSchema, webhookPatchSchema, webhookUpdateSchema, webhookFilterQuery } from './input.js';
import { warningFields } from './warnings.js';
import { webhookDetailSchema, webhookResource, webhookSchema } from './resource.js';

/** The webhook that all examples show. */
export const exampleWebhook: Webhook = {
  id: exampleIds.webhookId,
  accountId: exampleIds.accountId,
  name: 'orders',
  uri: 'https://example.com/callbacks',
  secret: 'a-bearer-of-your-own',
  verificationCode: 'verify-me',
  active: true,
  bodyTemplate: null,
  signing: true,
  rateLimit: null,
  pausedAt: null,
  pauseReason: null,
  createdAt: new Date('2026-01-15T09:30:00Z'),
  updatedAt: new Date('2026-01-15T09:30:00Z'),
  deletedAt: null,
  unreadable: [],
  version: 'nCX8eTWDkgMZLdrCrJ0aKwZ2M4s',
};

export const webhookPath = { id: z.uuid().describe('The id of a webhook of the account.') };
const path = { id: exampleWebhook.id };
const { name, uri, secret } = exampleWebhook;

const editedName = 'orders (inactive)';
const edit = {
  scope: 'write' as const,
  hasEtag: true as const,
  path: webhookPath,
  header: ifMatchHeader,
  body: webhookUpdateSchema,
  response: { message: 'Updated successfully', data: webhookSchema, extraFields: warningFields },
  example: {
    path,
    body: { name: editedName, uri, status: 0 },
    data: webhookResource({ ...exampleWebhook, name: editedName, active: false }),
  },
};

export const webhookOperations = tagOperations('Webhooks', [
  {
    id: 'listWebhooks',
    route: 'GET /developer/webhooks',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List webhooks',
    description:
      'Newest first, without deleted webhooks unless `filter[trashed]` selects them. An unknown filter gets a 400.',
    query: { ...numberedPageQuery, ...webhookFilterQuery },
    // The specification's message (docs/reference/api.md#compatible-oddities).
    response: { message: 'Created successfully', data: z.array(webhookSchema), extraFields: numberedPageSchemas },
    errors: [422],
    example: { data: [webhookResource(exampleWebhook)], extraFields: exampleNumberedPage('/developer/webhooks', 1) },
  },
  {
    id: 'createWebhook',
    route: 'POST /developer/webhooks',
    scope: 'write',
    summary: 'Create a webhook',
    description:
      'With a `token`, a verification of the address starts; the response does not wait for it. A webhook with ' +
      'placeholders in the `uri`, or with a `payload`, is a composed webhook.',
    hasEtag: true,
    body: newWebhookSchema,
    response: { message: 'Created successfully', data: webhookSchema, extraFields: warningFields },
    example: { body: { name, uri, secret, token: 'verify-me' }, data: webhookResource(exampleWebhook) },
  },
  {
    id: 'showWebhook',
    route: 'GET /developer/webhooks/{id}',
    scope: 'read',
    summary: 'Show a webhook',
    description:
      '`status` is a number in this response only. A request with `If-None-Match` gets a 304 while the webhook has that ' +
      '`ETag`.',
    hasEtag: true,
    path: webhookPath,
    response: { message: 'OK', data: webhookDetailSchema },
    example: { path, data: webhookResource(exampleWebhook, 'number') },
  },
  {
    ...edit,
    id: 'updateWebhook',
    route: 'PUT /developer/webhooks/{id}',
    summary: 'Edit a webhook',
    description:
      'Later attempts of pending deliveries use the edited webhook. An absent optional field keeps its value. A ' +
      'portal session that is restricted to some webhooks cannot clear a `secret`, nor change the `uri` of a ' +
      'webhook that has none: 422.',
  },
  {
    ...edit,
    id: 'patchWebhook',
    route: 'PATCH /developer/webhooks/{id}',
    summary: 'Edit a webhook, by PATCH',
    description: 'Like PUT, but it changes only the fields that it has: `name` and `uri` may be absent too.',
    body: webhookPatchSchema,
    example: { ...edit.example, body: { name: editedName, status: 0 } },
  },
  {
    id: 'deleteWebhook',
    route: 'DELETE /developer/webhooks/{id}',
    scope: 'write',
    summary: 'Delete a webhook',
    description: 'A deleted webhook gets no callbacks. It can be restored.',
    path: webhookPath,
    header: ifMatchHeader,
    response: { message: 'Deleted successfully', data: z.array(z.never()) },
    example: { path, data: [] },
  },
  {
    id: 'restoreWebhook',
    route: 'POST /developer/webhooks/{id}/restore',
    scope: 'write',
    summary: 'Restore a deleted webhook',
    description: 'The webhook becomes active. 422 when the account has the maximum number of webhooks.',
    hasEtag: true,
    path: webhookPath,
    header: ifMatchHeader,
    response: { message: 'Restored successfully', data: webhookSchema },
    errors: [422],
    example: { path, data: webhookResource(exampleWebhook) },
  },
]);
