import type { Request, Response } from 'express';
import {
  createAccessToken,
  type Database,
  listAccessTokensUnrevokedFirst,
  revokeAccessToken,
  type Scope,
  TooManyTokensError,
} from '@ringback/ledger';
import { callerOf, databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { accessTokenResource, readNewAccessToken } from './schema.js';

const maxTokens = 100;
/** Maximum tokens of a list. */
export const maxListedTokens = 200;

export const tokenRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/tokens': (request, response) => list(deps, request, response),
  'POST /developer/tokens': (request, response) => create(deps, request, response),
  'DELETE /developer/tokens/{id}': (request, response) => revoke(deps, request, response),
});

async function list({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const tokens = await listAccessTokensUnrevokedFirst(db, callerOf(request).accountId, maxListedTokens);
  sendSuccess(response, 'Access tokens', tokens.map(accessTokenResource));
}

async function create({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { accountId, scopes: callerScopes } = callerOf(request);
  const input = readNewAccessToken(request.body, callerScopes);
  const issued = await issueAccessToken(databaseAsCaller(request, db), accountId, input);
  if (!issued) throw new Error('the account of the caller is missing');
  sendSuccess(response, 'Access token created', issued);
}

/** Creates an access token, as the response shows it. Null when there is no such account. Throws a 422 above 100. */
export async function issueAccessToken(
  db: Database,
  accountId: string,
  { name, scopes }: { name: string | null; scopes: readonly Scope[] },
) {
  const created = await createAccessToken(db, accountId, scopes, { maxTokens, name }).catch((error: unknown) => {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw validationError({ tokens: [`An account may have at most ${maxTokens} access tokens.`] });
  });
  if (!created) return null;
  const { token, ...rest } = created;
  return { ...accessTokenResource({ ...rest, revokedAt: null }), token };
}

export const accessTokenNotFound = () => new ApiError(404, 'Access token not found.');

async function revoke({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const revoked = await revokeAccessToken(databaseAsCaller(request, db), accountId, request.params.id);
  if (!revoked) throw accessTokenNotFound();
  sendSuccess(response, 'Access token revoked', []);
}
