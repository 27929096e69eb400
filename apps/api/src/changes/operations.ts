import { z } from 'zod';
import type { Change } from '@ringback/database';
import { cursorFields, cursorQuery, exampleCursorPage } from '../http/cursor-page.js';
import { under } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { changeFilterQuery } from './filter.js';
import { changeResource, changeSchema } from './resource.js';

/** The change of the examples. */
export const exampleChange: Change = {
  id: '0199f3a0-d155-7abc-8def-0123456789ab',
  accountId: exampleWebhook.accountId,
  at: new Date('2026-01-15T09:50:00Z'),
  actor: 'token:5d1f6c1e-8a57-4c0b-9f33-0123456789ab',
  action: 'webhook.updated',
  objectType: 'webhook',
  objectId: exampleWebhook.id,
  changed: [{ field: 'name', before: 'order', after: 'orders' }, { field: 'secret' }],
};

export const changeOperations = under('Changes', [
  {
    id: 'listChanges',
    at: 'GET /developer/changes',
    search: true,
    scope: 'read',
    summary: 'List changes',
    about:
      'Who did what, when: every change of the account, newest first, made over the API or by an operator. Filters hold ' +
      'together; an empty one is none, one that does not exist is a 400. Secrets, tokens, templates and queries of uris ' +
      'are not shown: a `uri` whose query alone was changed looks the same before and after.',
    query: { ...cursorQuery, ...changeFilterQuery },
    answer: { message: 'OK', data: z.array(changeSchema), more: cursorFields },
    errors: [422],
    example: { data: [changeResource(exampleChange)], more: exampleCursorPage('/developer/changes') },
  },
]);
