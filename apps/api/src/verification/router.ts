import { Router } from 'express';
import { findVerification, findWebhook, startVerification } from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError, validationError } from '../http/output/api-error.js';
import { databaseAsCaller } from '../http/guards/authenticate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { tryEnqueueVerification } from '../webhooks/try-enqueue-verification.js';
import { webhookNotFound } from '../webhooks/webhook-not-found.js';
import { webhookParams } from '../webhooks/webhook-params.js';
import { verificationResource } from './resource.js';

/** Shows the newest verification of a webhook, and starts a new one. */
export function verificationRouter(deps: ApiDeps): Router {
  const { db } = deps;
  const router = Router();
  router
    .route('/developer/webhooks/:id/verification')
    .get(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      const verification = await findVerification(db, accountId, webhook.id);
      if (!verification) throw new ApiError(404, 'Verification not found.');
      sendSuccess(response, 'OK', verificationResource(verification));
    })
    .post(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      if (webhook.unreadable.includes('verificationCode'))
        throw new ApiError(409, 'The verification code cannot be read: no key of the operator opens it.');
      if (webhook.verificationCode === null) {
        throw validationError({ token: ['The webhook was created without a token, so it cannot be verified.'] });
      }
      const verification = await startVerification(databaseAsCaller(request, db), accountId, webhook.id);
      await tryEnqueueVerification(deps, verification.id);
      sendSuccess(response, 'Verification started', verificationResource(verification));
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));
  return router;
}
