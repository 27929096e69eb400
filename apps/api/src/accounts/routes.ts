import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import {
  type Account,
  deleteAccount,
  ExternalIdTakenError,
  findAccount,
  isUuid,
  listAccessTokensUnrevokedFirst,
  listAccounts,
  PendingDeliveriesError,
  putAccount,
  revokeAccessToken,
  rotateCallbackToken,
  scopes as allScopes,
  updateAccount,
  wakeAccount,
} from '@ringback/ledger';
import { accountNotFound, databaseAsPlatform } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { queryText, validate } from '../http/input.js';
import { readCursorPage, sendCursorPage } from '../http/pages.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { checkLogoOrigin, logoOriginsOf } from '../portal-sessions/schema.js';
import { accessTokenNotFound, issueAccessToken, maxListedTokens } from '../tokens/routes.js';
import { accessTokenResource, readNewAccessToken } from '../tokens/schema.js';
import { accountPatchSchema, accountResource, accountSchema, readAccountFilter, toAccountUpdate } from './schema.js';

export const accountRoutes = (deps: ApiDeps): Routes => ({
  'GET /platform/accounts': (request, response) => list(deps, request, response),
  'POST /platform/accounts': (request, response) => put(deps, randomUUID(), request, response),
  'GET /platform/accounts/{id}': (request, response) => show(deps, request, response),
  'PUT /platform/accounts/{id}': (request, response) => put(deps, request.params.id, request, response),
  'PATCH /platform/accounts/{id}': (request, response) => patch(deps, request, response),
  'DELETE /platform/accounts/{id}': (request, response) => remove(deps, request, response),
  'POST /platform/accounts/{id}/callback-token': (request, response) => rotate(deps, request, response),
  'GET /platform/accounts/{id}/tokens': (request, response) => listTokens(deps, request, response),
  'POST /platform/accounts/{id}/tokens': (request, response) => createToken(deps, request, response),
  'DELETE /platform/accounts/{id}/tokens/{token_id}': (request, response) => revokeToken(deps, request, response),
});

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { filter, linkQuery } = readAccountFilter(request);
  const { accounts, ...adjacentCursors } = await listAccounts(db, { ...filter, ...readCursorPage(request) });
  const data = accounts.map(accountResource);
  sendCursorPage(request, response, { listUrl: `${baseUrl}/platform/accounts`, linkQuery, data, ...adjacentCursors });
}

async function put(deps: ApiDeps, id: string, request: Request, response: Response): Promise<void> {
  if (!isUuid(id)) throw accountNotFound();
  const input = validate(accountSchema, request.body);
  checkLogoOrigin(input.theme?.logo_url, logoOriginsOf(deps));
  const fields = { ...toAccountUpdate(input), name: input.name };
  const { account, callbackToken, isActivated } = await putAccount(
    databaseAsPlatform(request, deps.db),
    id,
    fields,
  ).catch(rethrowExternalIdError);
  if (isActivated) await wakeAccount(deps.db, deps.waker, account.id);
  if (callbackToken === null) sendSuccess(response, 'Account updated', accountResource(account));
  else sendSuccess(response, 'Account created', { ...accountResource(account), callback_token: callbackToken });
}

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  sendSuccess(response, 'OK', accountResource(await requireAccount({ db }, request)));
}

async function patch(deps: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { db, waker } = deps;
  await requireAccount({ db }, request);
  const input = validate(accountPatchSchema, request.body);
  checkLogoOrigin(input.theme?.logo_url, logoOriginsOf(deps));
  const updated = await updateAccount(databaseAsPlatform(request, db), request.params.id, toAccountUpdate(input)).catch(
    rethrowExternalIdError,
  );
  if (!updated) throw accountNotFound();
  if (updated.isActivated) await wakeAccount(db, waker, updated.account.id);
  sendSuccess(response, 'Account updated', accountResource(updated.account));
}

/** Throws a 422 for the external id of another account. Throws any other error unchanged. */
function rethrowExternalIdError(error: unknown): never {
  if (!(error instanceof ExternalIdTakenError)) throw error;
  throw validationError({ external_id: ['The external_id has already been taken.'] });
}

async function remove({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const force = readForce(request);
  const isDeleted = await deleteAccount(databaseAsPlatform(request, db), request.params.id, { force }).catch(
    (error: unknown) => {
      if (!(error instanceof PendingDeliveriesError)) throw error;
      throw new ApiError(409, 'The account has pending deliveries. With force=true they end as skipped.');
    },
  );
  if (!isDeleted) throw accountNotFound();
  sendSuccess(response, 'Account deleted', []);
}

/** Reads `force`. A value that is neither `true` nor `false` is a 422, so that no misspelt one counts as either. */
function readForce(request: Request): boolean {
  const text = (queryText(request, 'force') ?? '').toLowerCase();
  if (['true', '1'].includes(text)) return true;
  if (['', 'false', '0'].includes(text)) return false;
  throw validationError({ force: ['The force parameter must be true or false.'] });
}

async function rotate({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const rotated = await rotateCallbackToken(databaseAsPlatform(request, db), request.params.id);
  if (!rotated) throw accountNotFound();
  const { account, callbackToken } = rotated;
  sendSuccess(response, 'Callback token replaced', { ...accountResource(account), callback_token: callbackToken });
}

async function listTokens({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { id } = await requireAccount({ db }, request);
  const tokens = await listAccessTokensUnrevokedFirst(db, id, maxListedTokens);
  sendSuccess(response, 'Access tokens', tokens.map(accessTokenResource));
}

async function createToken({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { id } = await requireAccount({ db }, request);
  const input = readNewAccessToken(request.body, allScopes);
  const issued = await issueAccessToken(databaseAsPlatform(request, db), id, input);
  if (!issued) throw accountNotFound();
  sendSuccess(response, 'Access token created', issued);
}

async function revokeToken({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { id } = await requireAccount({ db }, request);
  const revoked = await revokeAccessToken(databaseAsPlatform(request, db), id, request.params.token_id);
  if (!revoked) throw accessTokenNotFound();
  sendSuccess(response, 'Access token revoked', []);
}

/** The account in the path. Throws a 404 for an unknown or malformed id, before the body is validated. */
async function requireAccount({ db }: Pick<ApiDeps, 'db'>, request: ApiRequest): Promise<Account> {
  const account = await findAccount(db, request.params.id);
  if (!account) throw accountNotFound();
  return account;
}
