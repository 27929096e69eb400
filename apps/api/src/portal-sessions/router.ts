import { type RequestHandler, Router } from 'express';
import {
  actingAs,
  createPortalLinkExchanger,
  endPortalSession,
  maxPortalSessions,
  createPortalSession,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError, validationError } from '../http/output/api-error.js';
import { accountIdOf, authenticateSessionCreator, sessionCreatorOf } from '../http/guards/authenticate.js';
import { readBody } from '../http/input/body.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { overrideMethod } from '../http/input/method-override.js';
import { validate } from '../http/input/validate.js';
import { accountNotFound, exchangeSchema, readNewSession } from './input.js';
import { openedSessionResource, sessionResource } from './resource.js';

const maxBodyBytes = 64 * 1024;

/**
 * Opens portal sessions, exchanges their link tokens, and ends them. `limits` apply only to requests with an access
 * token.
 */
export function portalSessionsRouter(deps: ApiDeps, limits: RequestHandler[]): Router {
  const router = Router();
  router
    .route('/portal-sessions/exchange')
    .post(readBody(maxBodyBytes), exchangeLinkToken(deps))
    .all(allowOnly('POST'));

  const limitAccounts = limits.map(onlyForAccounts);
  router.use('/portal-sessions', authenticateSessionCreator(deps.reservedDb), limitAccounts);
  router.use('/portal-sessions', readBody(maxBodyBytes), overrideMethod);
  router.route('/portal-sessions').post(openSession(deps)).all(allowOnly('POST'));
  router.route('/portal-sessions/:id').delete(endSession(deps)).all(allowOnly('DELETE'));
  return router;
}

/** Applies a limit to accounts only. Platforms are not limited at `POST /events` either. */
const onlyForAccounts =
  (limit: RequestHandler): RequestHandler =>
  (request, response, next) =>
    accountIdOf(request) === undefined ? next() : limit(request, response, next);

function exchangeLinkToken({ reservedDb }: ApiDeps): RequestHandler {
  const exchange = createPortalLinkExchanger(reservedDb);
  return async (request, response) => {
    const exchanged = await exchange(validate(exchangeSchema, request.body).session);
    if (!exchanged) throw new ApiError(401, 'Unauthenticated.');
    const { session, state } = exchanged;
    if (state !== 'exchanged') {
      const message = state === 'used' ? 'The link has been used.' : 'The session has ended.';
      throw new ApiError(401, message, undefined, session.returnUrl ?? undefined);
    }
    sendSuccess(response, 'Portal session', sessionResource({ ...session, bearer: exchanged.bearer }));
  };
}

/** Throws the API's error for an error of `createPortalSession`. Throws any other error unchanged. */
function throwApiError(error: unknown): never {
  if (error instanceof UnknownWebhooksError)
    throw validationError({ webhook_ids: ['The selected webhook_ids are invalid.'] });
  if (error instanceof TooManyPortalSessionsError)
    throw new ApiError(409, `The account has ${maxPortalSessions} portal sessions that have not ended.`);
  throw error;
}

function openSession({ db, baseUrl, logoOrigins = [] }: ApiDeps): RequestHandler {
  const context = { logoOrigins: [new URL(baseUrl).origin, ...logoOrigins] };
  return async (request, response) => {
    const creator = sessionCreatorOf(request);
    const { accountId, session } = readNewSession(request.body, { creator, ...context });
    const created = await createPortalSession(actingAs(db, creator.actor), accountId, session).catch(throwApiError);
    if (!created) throw accountNotFound();
    sendSuccess(response, 'Portal session created', openedSessionResource(created, baseUrl));
  };
}

function endSession({ db }: ApiDeps): RequestHandler<{ id: string }> {
  return async (request, response) => {
    const caller = sessionCreatorOf(request);
    const ended = await endPortalSession(actingAs(db, caller.actor), caller, request.params.id);
    if (!ended) throw new ApiError(404, 'Portal session not found.');
    if (ended.missingScope !== null)
      throw new ApiError(403, `This token lacks the scope "${ended.missingScope}", so it cannot end this session.`);
    sendSuccess(response, 'Portal session ended', []);
  };
}
