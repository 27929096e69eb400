import { type Response, Router } from 'express';
import { provideSigningSecret, rotateSigningSecret, SecretError, type SigningSecret } from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { ApiError } from '../http/api-error.js';
import { inNameOf } from '../http/authenticate.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { webhookNotFound, whichWebhook } from '../webhooks/router.js';
import { signingSecretResource } from './resource.js';

/** The key of a webhook's Standard Webhooks signature, and its replacement. */
export function signingRouter({ db }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/signing-secret')
    .get(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      show(response, 'OK', await provideSigningSecret(inNameOf(request, db), accountId, id).catch(refuseUnreadable));
    })
    .all(allowOnly('GET', 'HEAD'));
  router
    .route('/developer/webhooks/:id/signing-secret/rotate')
    .post(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      show(response, 'Signing secret rotated', await rotateSigningSecret(inNameOf(request, db), accountId, id));
    })
    .all(allowOnly('POST'));
  return router;
}

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof SecretError)) throw error;
  throw new ApiError(
    409,
    'The signing secret cannot be read: no key of the operator opens it. Rotate it for a new one.',
  );
}

function show(response: Response, message: string, signing: SigningSecret | null): void {
  if (!signing) throw webhookNotFound();
  answer(response, message, signingSecretResource(signing));
}
