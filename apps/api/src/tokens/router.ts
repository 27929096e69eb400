import { Router } from 'express';
import {
  countUnrevokedAccessTokens,
  createAccessToken,
  listAccessTokensUnrevokedFirst,
  revokeAccessToken,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError, validationError } from '../http/output/api-error.js';
import { databaseAsCaller, callerOf } from '../http/guards/authenticate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { readGrantedScopes } from './input.js';
import { accessTokenResource } from './resource.js';

const maxTokens = 100;
const maxListed = 200;

/** Lists, creates and revokes the access tokens of the account. */
export function tokensRouter({ db }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/tokens')
    .get(async (request, response) => {
      const tokens = await listAccessTokensUnrevokedFirst(db, callerOf(request).accountId, maxListed);
      sendSuccess(response, 'Access tokens', tokens.map(accessTokenResource));
    })
    .post(async (request, response) => {
      const { accountId, scopes: callerScopes } = callerOf(request);
      const scopes = readGrantedScopes(request.body, callerScopes);
      if ((await countUnrevokedAccessTokens(db, accountId)) >= maxTokens)
        throw validationError({ tokens: [`An account may have at most ${maxTokens} access tokens.`] });
      const created = await createAccessToken(databaseAsCaller(request, db), accountId, scopes);
      if (!created) throw new Error('the account of the caller is missing');
      const { token, ...rest } = created;
      const data = { ...accessTokenResource({ ...rest, revokedAt: null }), token };
      sendSuccess(response, 'Access token created', data);
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));

  router
    .route('/developer/tokens/:id')
    .delete(async (request, response) => {
      const { accountId } = callerOf(request);
      const revoked = await revokeAccessToken(databaseAsCaller(request, db), accountId, request.params.id);
      if (!revoked) throw new ApiError(404, 'Access token not found.');
      sendSuccess(response, 'Access token revoked', []);
    })
    .all(allowOnly('DELETE'));
  return router;
}
