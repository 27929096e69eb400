import type { Request } from 'express';
import { z } from 'zod';
import { type Change, changeActions, type ChangeFilter } from '@ringback/ledger';
import {
  describeFilters,
  oneOfWords,
  optionalFilter,
  readFilters,
  textFilter,
  timeFilter,
  timeText,
} from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages.js';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook } from '../webhooks/schema.js';

const filterFields = z.object({
  object_id: optionalFilter(
    textFilter('object_id').transform((id) => id.toLowerCase()),
    'The id of a webhook, a subscription, a delivery, a replay, a token, a portal session or the account.',
  ),
  action: optionalFilter(
    z.enum(changeActions, `The action filter must be one of ${changeActions.join(', ')}.`),
    'The kind of change.',
    oneOfWords(changeActions),
  ),
  since: optionalFilter(
    timeFilter('since'),
    'Made at this time or later: a day, or a time, in UTC unless it has an offset.',
    timeText,
  ),
  until: optionalFilter(timeFilter('until'), 'Made before this time.', timeText),
});
const filterSchema = filterFields.transform(({ object_id: objectId, ...rest }): ChangeFilter => ({
  ...rest,
  objectId,
}));

/** Reads the filters of the list; `linkQuery` holds those that are not empty, which page URLs repeat. */
export const readChangeFilter = (request: Request) =>
  readFilters(request, filterSchema, Object.keys(filterFields.shape));

const value = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .meta({ description: 'A text, a number, a boolean or null.', documentedAs: {} });

const changeSchema = z
  .object({
    id: z.uuid(),
    at: timestampSchema,
    actor: z
      .string()
      .describe(
        'The author: `token:` and the id of an access token, `platform_token:` and that of a platform token, ' +
          '`portal:` and that of a portal session, or `operator`.',
      ),
    actor_name: z.string().optional().describe('The `actor` of the portal session; present when it has one.'),
    action: z.string().describe('What was done, such as `webhook.updated`. `filter[action]` has all words.'),
    object_type: z
      .string()
      .describe('`account`, `token`, `portal_session`, `webhook`, `subscription`, `delivery` or `replay`.'),
    object_id: z.string(),
    changed: z
      .array(
        z.object({ field: z.string(), before: value.optional(), after: value.optional() }).meta({ id: 'ChangedField' }),
      )
      .describe('The changed fields. `before` and `after` are left out for `secret`, `token`, `payload` and `tls`.'),
  })
  .meta({ id: 'Change' });

/** Splits the actor of a portal session, in which the name of the portal user may follow the id after a space. */
function splitActor(actor: string): { actor: string; actor_name?: string } {
  const [, actorWithoutName = actor, name] = /^(portal:\S+) ([^]*)$/.exec(actor) ?? [];
  return { actor: actorWithoutName, ...(name === undefined ? {} : { actor_name: name }) };
}

export const changeResource = ({ id, at, actor, action, objectType, objectId, changed }: Change) => ({
  id,
  at: formatTimestamp(at),
  ...splitActor(actor),
  action,
  object_type: objectType,
  object_id: objectId,
  changed,
});

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
      'tokens and templates and the queries and fragments of URIs are left out. If only these changed, a `uri` looks ' +
      'the same before and after.',
    query: { ...cursorQuery, ...describeFilters(filterFields.shape) },
    response: { message: 'OK', data: z.array(changeSchema), extraFields: cursorPageSchemas },
    errors: [422],
    example: { data: [changeResource(exampleChange)], extraFields: exampleCursorPage('/developer/changes') },
  },
]);
