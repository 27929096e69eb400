import type { Request, Response } from 'express';
import {
  createAccessToken,
  listAccessTokensUnrevokedFirst,
  revokeAccessToken,
  TooManyTokensError,
} from '@ringback/ledger';
import { callerOf, databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { accessTokenResource, readGrantedScopes } from './schema.js';

const maxTokens = 100;
const maxListed = 200;

export const tokenRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/tokens': (request, response) => list(deps, request, response),
  'POST /developer/tokens': (request, response) => create(deps, request, response),
  'DELETE /developer/tokens/{id}': (request, response) => revoke(deps, request, response),
});

async function list({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const tokens = await listAccessTokensUnrevokedFirst(db, callerOf(request).accountId, maxListed);
  sendSuccess(response, 'Access tokens', tokens.map(accessTokenResource));
}

async function create({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { accountId, scopes: callerScopes } = callerOf(request);
  const scopes = readGrantedScopes(request.body, callerScopes);
  const creation = createAccessToken(databaseAsCaller(request, db), accountId, scopes, { maxTokens });
  const created = await creation.catch((error: unknown) => {
    if (!(error instanceof TooManyTokensError)) throw error;
    throw validationError({ tokens: [`An account may have at most ${maxTokens} access tokens.`] });
  });
  if (!created) throw new Error('the account of the caller is missing');
  const { token, ...rest } = created;
  sendSuccess(response, 'Access token created', { ...accessTokenResource({ ...rest, revokedAt: null }), token });
}

async function revoke({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const revoked = await revokeAccessToken(databaseAsCaller(request, db), accountId, request.params.id);
  if (!revoked) throw new ApiError(404, 'Access token not found.');
  sendSuccess(response, 'Access token revoked', []);
}
