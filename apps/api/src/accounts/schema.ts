import type { Request } from 'express';
import { z } from 'zod';
import { type Account, type AccountFilter, accountStatuses, type AccountUpdate, statusOf } from '@ringback/ledger';
import {
  describeFilters,
  nullableText,
  oneOfWords,
  optionalFilter,
  readFilters,
  requiredText,
  strictBody,
  textFilter,
} from '../http/input.js';
import { exampleIds, tagOperations } from '../http/operation.js';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages.js';
import { emptyList, formatTimestamp, timestampSchema } from '../http/response.js';
import { newThemeSchema, themeSchema } from '../portal-sessions/schema.js';
import {
  accessTokenResource,
  accessTokenSchema,
  createdAccessTokenSchema,
  exampleToken,
  newAccessTokenSchema,
} from '../tokens/schema.js';
import { readNames } from '../webhooks/filter.js';

const statusChoices = accountStatuses.join(', ');

const filterFields = z.object({
  name: optionalFilter(textFilter('name'), 'A part of the name, whatever the case; several are separated by commas.'),
  external_id: optionalFilter(textFilter('external_id'), 'The external id.'),
  status: optionalFilter(
    z.enum(accountStatuses, `The status filter must be one of ${statusChoices}.`),
    `One of ${statusChoices}.`,
    oneOfWords(accountStatuses),
  ),
});
const filterSchema = filterFields.transform(({ name, external_id: externalId, status }): AccountFilter => ({
  names: name === undefined ? undefined : readNames(name),
  externalId,
  status,
}));

/** Reads the filters of the list; `linkQuery` holds those that are not empty, which page URLs repeat. */
export const readAccountFilter = (request: Request) =>
  readFilters(request, filterSchema, Object.keys(filterFields.shape));

const name = requiredText('name', 255);
const optionalFields = {
  external_id: nullableText('external_id', 255)
    .optional()
    .describe('The id that the platform has for the customer. No two accounts have the same.'),
  status: z
    .enum(accountStatuses, `The status field must be one of ${statusChoices}.`)
    .optional()
    .describe('`suspended`: tokens and events of the account are refused, and its deliveries wait.'),
  theme: newThemeSchema
    .nullish()
    .describe(
      'The look of the portal for the sessions of the account. Fields of the theme of a session win. Null removes it.',
    ),
};

export const accountSchema = strictBody({ name, ...optionalFields }).meta({ id: 'AccountInput' });
export const accountPatchSchema = strictBody({ name: name.optional(), ...optionalFields }).meta({ id: 'AccountPatch' });

/** The fields of a body, as the ledger names them. An absent one keeps its value. */
export const toAccountUpdate = ({
  name,
  external_id: externalId,
  status,
  theme,
}: z.output<typeof accountPatchSchema>): AccountUpdate => ({ name, externalId, status, theme });

const accountFields = z.object({
  id: z.uuid(),
  name: z.string(),
  external_id: z.string().nullable(),
  status: z.enum(accountStatuses),
  theme: themeSchema.optional().describe('Absent while the account has none.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
const accountResourceSchema = accountFields.meta({ id: 'Account' });
const callbackToken = z
  .string()
  .describe('The bearer token in callbacks of webhooks without a secret. No other response shows it.');
const accountWithTokenSchema = accountFields
  .extend({ callback_token: callbackToken })
  .meta({ id: 'AccountWithCallbackToken' });
const putAccountSchema = accountFields.extend({ callback_token: callbackToken.optional() }).meta({ id: 'PutAccount' });

export const accountResource = (account: Account): z.infer<typeof accountFields> => ({
  id: account.id,
  name: account.name,
  external_id: account.externalId,
  status: statusOf(account),
  ...(account.theme === null ? {} : { theme: account.theme }),
  created_at: formatTimestamp(account.createdAt),
  updated_at: formatTimestamp(account.updatedAt),
});

/** The account that the examples show. */
export const exampleAccount: Account = {
  id: '3f0b9f33-1e8a-4a57-8c1e-0123456789ab',
  name: 'Acme',
  externalId: '4711',
  createdAt: new Date('2026-01-15T09:20:00Z'),
  updatedAt: new Date('2026-01-15T09:20:00Z'),
  suspendedAt: null,
  otherInstallation: null,
  theme: null,
};
/** The account of all other examples. */
export const exampleCaller: Account = {
  ...exampleAccount,
  id: exampleIds.accountId,
  name: 'example',
  externalId: null,
  createdAt: new Date('2026-01-15T09:00:00Z'),
};
/** The access token of the account that the examples show. */
export const exampleAccountToken = { ...exampleToken, id: '6e2f7d2f-8a57-4c0b-9f33-0123456789ab' };
const exampleCallbackToken = 'rb_callback_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a';
const exampleInput = { name: exampleAccount.name, external_id: exampleAccount.externalId };
const newExample = { ...exampleAccount, id: '4a1c0a44-1e8a-4a57-8c1e-0123456789ab', externalId: '4712' };
const newExampleInput = { ...exampleInput, external_id: newExample.externalId };

const path = { id: z.uuid().describe('The id of an account.') };
const tokenPath = { ...path, token_id: z.uuid().describe('The id of an access token of the account.') };
const access = { callerKind: 'platform' as const, scope: 'accounts' as const };

export const accountOperations = tagOperations('Accounts', [
  {
    id: 'listAccounts',
    route: 'GET /platform/accounts',
    ...access,
    summary: 'List accounts',
    description:
      'Newest first. An account must match all filters; an empty filter is ignored, an unknown filter gets a 400.',
    query: { ...cursorQuery, ...describeFilters(filterFields.shape) },
    response: { message: 'OK', data: z.array(accountResourceSchema), extraFields: cursorPageSchemas },
    errors: [422],
    example: {
      data: [accountResource(exampleAccount), accountResource(exampleCaller)],
      extraFields: exampleCursorPage('/platform/accounts'),
    },
  },
  {
    id: 'createAccount',
    route: 'POST /platform/accounts',
    ...access,
    summary: 'Create an account',
    description:
      'The account has no access token yet. Only this response shows the callback token. 422 for the `external_id` of ' +
      'another account.',
    body: accountSchema,
    response: { message: 'Account created', data: accountWithTokenSchema },
    example: {
      body: newExampleInput,
      data: { ...accountResource(newExample), callback_token: exampleCallbackToken },
    },
  },
  {
    id: 'showAccount',
    route: 'GET /platform/accounts/{id}',
    ...access,
    summary: 'Show an account',
    path,
    response: { message: 'OK', data: accountResourceSchema },
    example: { path: { id: exampleAccount.id }, data: accountResource(exampleAccount) },
  },
  {
    id: 'putAccount',
    route: 'PUT /platform/accounts/{id}',
    ...access,
    summary: 'Create an account with this id, or change it',
    description:
      'A field that is absent keeps its value. Only the response that creates the account has `callback_token`. The id ' +
      'of a deleted account creates it again, with its old events and deliveries. 422 for the `external_id` of another ' +
      'account.',
    path,
    body: accountSchema,
    response: { message: ['Account updated', 'Account created'], data: putAccountSchema },
    example: { path: { id: exampleAccount.id }, body: exampleInput, data: accountResource(exampleAccount) },
  },
  {
    id: 'patchAccount',
    route: 'PATCH /platform/accounts/{id}',
    ...access,
    summary: 'Change an account',
    description:
      'A field that is absent keeps its value. While an account is suspended, its access tokens and portal sessions get ' +
      'a 403, its events are kept as rejected, and its deliveries wait and use up no attempt.',
    path,
    body: accountPatchSchema,
    response: { message: 'Account updated', data: accountResourceSchema },
    example: { path: { id: exampleAccount.id }, body: exampleInput, data: accountResource(exampleAccount) },
  },
  {
    id: 'deleteAccount',
    route: 'DELETE /platform/accounts/{id}',
    ...access,
    summary: 'Delete an account',
    description:
      'Its access tokens, portal sessions, webhooks and subscriptions end at once. Its events and deliveries stay until ' +
      'their retention ends. 409 when it has pending deliveries. With `force=true` they end as skipped.',
    path,
    query: { force: z.enum(['true', 'false']).optional().describe('`true` also ends pending deliveries.') },
    response: { message: 'Account deleted', data: emptyList },
    errors: [409, 422],
    example: { path: { id: exampleAccount.id }, query: { force: 'true' }, data: [] },
  },
  {
    id: 'rotateCallbackToken',
    route: 'POST /platform/accounts/{id}/callback-token',
    ...access,
    summary: 'Replace the callback token',
    description:
      'Callbacks of webhooks without a secret have the new token from the next attempt on. A callback carries one ' +
      'token, so receivers must know the new one at once, or accept both for a while.',
    path,
    response: { message: 'Callback token replaced', data: accountWithTokenSchema },
    example: {
      path: { id: exampleAccount.id },
      data: { ...accountResource(exampleAccount), callback_token: exampleCallbackToken },
    },
  },
  {
    id: 'listAccountTokens',
    route: 'GET /platform/accounts/{id}/tokens',
    ...access,
    summary: 'List the access tokens of an account',
    description: 'First the tokens that are not revoked, then the most recently revoked ones; at most 200 in all.',
    path,
    response: { message: 'Access tokens', data: z.array(accessTokenSchema) },
    example: {
      path: { id: exampleAccount.id },
      data: [accessTokenResource(exampleAccountToken)],
    },
  },
  {
    id: 'createAccountToken',
    route: 'POST /platform/accounts/{id}/tokens',
    ...access,
    summary: 'Create an access token for an account',
    description:
      'Only this response shows the token itself. Without `scopes` it has all. An account may have at most 100 access ' +
      'tokens that are not revoked.',
    path,
    body: newAccessTokenSchema,
    response: { message: 'Access token created', data: createdAccessTokenSchema },
    example: {
      path: { id: exampleAccount.id },
      body: { name: 'reports', scopes: ['read'] },
      data: { ...accessTokenResource(exampleAccountToken), token: 'rb_access_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a' },
    },
  },
  {
    id: 'revokeAccountToken',
    route: 'DELETE /platform/accounts/{id}/tokens/{token_id}',
    ...access,
    summary: 'Revoke an access token of an account',
    description: 'The token is refused at once, and the portal sessions that it opened end.',
    path: tokenPath,
    response: { message: 'Access token revoked', data: emptyList },
    example: { path: { id: exampleAccount.id, token_id: exampleAccountToken.id }, data: [] },
  },
]);
