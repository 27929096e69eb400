import type { Response } from 'express';
import { findVerification, startVerification } from '@ringback/ledger';
import { databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { requireWebhook, tryEnqueueVerification } from '../webhooks/routes.js';
import { verificationResource } from './schema.js';

/** Shows the newest verification of a webhook, and starts a new one. */
export const verificationRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/webhooks/{id}/verification': (request, response) => show(deps, request, response),
  'POST /developer/webhooks/{id}/verification': (request, response) => start(deps, request, response),
});

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId, id } = await requireWebhook(db, request);
  const verification = await findVerification(db, accountId, id);
  if (!verification) throw new ApiError(404, 'Verification not found.');
  sendSuccess(response, 'OK', verificationResource(verification));
}

async function start(deps: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { db } = deps;
  const webhook = await requireWebhook(db, request);
  if (webhook.unreadable.includes('verificationCode'))
    throw new ApiError(409, 'The verification code cannot be read: no key of the operator opens it.');
  if (webhook.verificationCode === null)
    throw validationError({ token: ['The webhook was created without a token, so it cannot be verified.'] });
  const verification = await startVerification(databaseAsCaller(request, db), webhook.accountId, webhook.id);
  await tryEnqueueVerification(deps, verification.id);
  sendSuccess(response, 'Verification started', verificationResource(verification));
}
