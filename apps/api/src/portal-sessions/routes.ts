import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  actingAs,
  createPortalLinkExchanger,
  createPortalSession,
  endPortalSession,
  maxPortalSessions,
  SuspendedAccountError,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from '@ringback/ledger';
import { accountNotFound, accountSuspended, sessionCreatorOf } from '../http/authenticate.js';
import { readBody } from '../http/body.js';
import type { ApiDeps } from '../http/deps.js';
import { validate } from '../http/input.js';
import { allowOnly, ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { exchangeSchema, logoOriginsOf, openedSessionResource, readNewSession, sessionResource } from './schema.js';

/** Exchanges the link tokens of portal sessions. The portal has no other token when it does so. */
export function exchangeRouter({ reservedDb, theme }: ApiDeps, maxBodyBytes: number): Router {
  const exchange = createPortalLinkExchanger(reservedDb);
  const exchangeLinkToken: RequestHandler = async (request, response) => {
    const exchanged = await exchange(validate(exchangeSchema, request.body).session);
    if (!exchanged) throw new ApiError(401, 'Unauthenticated.');
    const { session, state } = exchanged;
    if (state === 'suspended') throw accountSuspended();
    if (state !== 'exchanged') {
      const message = state === 'used' ? 'The link has been used.' : 'The session has ended.';
      throw new ApiError(401, message, undefined, session.returnUrl ?? undefined);
    }
    sendSuccess(response, 'Portal session', sessionResource({ ...session, bearer: exchanged.bearer }, theme));
  };
  const router = Router();
  router.route('/portal-sessions/exchange').post(readBody(maxBodyBytes), exchangeLinkToken).all(allowOnly('POST'));
  return router;
}

export const portalSessionRoutes = (deps: ApiDeps): Routes => ({
  'POST /portal-sessions': (request, response) => open(deps, request, response),
  'DELETE /portal-sessions/{id}': (request, response) => end(deps, request, response),
});

async function open(deps: ApiDeps, request: Request, response: Response): Promise<void> {
  const { db } = deps;
  const creator = sessionCreatorOf(request);
  const context = { creator, logoOrigins: logoOriginsOf(deps) };
  const { accountId, session } = readNewSession(request.body, context);
  const created = await createPortalSession(actingAs(db, creator.actor), accountId, session).catch(rethrowSessionError);
  if (!created) throw accountNotFound();
  sendSuccess(response, 'Portal session created', openedSessionResource(created, deps));
}

/** Throws the API's error for an error of `createPortalSession`. Throws any other error unchanged. */
function rethrowSessionError(error: unknown): never {
  if (error instanceof UnknownWebhooksError)
    throw validationError({ webhook_ids: ['The selected webhook_ids are invalid.'] });
  if (error instanceof SuspendedAccountError) throw accountSuspended();
  if (error instanceof TooManyPortalSessionsError)
    throw new ApiError(409, `The account has ${maxPortalSessions} portal sessions that have not ended.`);
  throw error;
}

async function end({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const caller = sessionCreatorOf(request);
  const ended = await endPortalSession(actingAs(db, caller.actor), caller, request.params.id);
  if (!ended) throw new ApiError(404, 'Portal session not found.');
  if (ended.missingScope !== null)
    throw new ApiError(403, `This token lacks the scope "${ended.missingScope}", so it cannot end this session.`);
  sendSuccess(response, 'Portal session ended', []);
}
