import { z } from 'zod';
import type { Change } from '@ringback/ledger';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages/cursor-page.js';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { changeFilterQuery } from './filter.js';
import { changeResource, changeSchema } from './resource.js';

/** The change in the examples. */
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

export const changeOperations = tagOperations('Changes', [
  {
    id: 'listChanges',
    route: 'GET /developer/changes',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List changes',
    description:
      'The change history: all changes of the account, with their time and their author, newest first. A change ' +
      'must match all filters; an empty filter is ignored, an unknown filter gets a 400. The values of secrets, ' +
      'tokens and templates and the queries of URIs are left out. If only the query of a `uri` changed, it looks ' +
      'the same before and after.',
    query: { ...cursorQuery, ...changeFilterQuery },
    response: { message: 'OK', data: z.array(changeSchema), extraFields: cursorPageSchemas },
    errors: [422],
    example: { data: [changeResource(exampleChange)], extraFields: exampleCursorPage('/developer/changes') },
  },
]);
