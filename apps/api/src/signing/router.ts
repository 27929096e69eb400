import { type Response, Router } from 'express';
import { provideSigningSecret, rotateSigningSecret, type SigningSecret } from '@ringback/database';
import type { ApiDeps } from '../app.js';
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
      show(response, 'OK', await provideSigningSecret(inNameOf(request, db), accountId, id));
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

function show(response: Response, message: string, signing: SigningSecret | null): void {
  if (!signing) throw webhookNotFound();
  answer(response, message, signingSecretResource(signing));
}
