import { type Response, Router } from 'express';
import {
  getOrCreateSigningSecret,
  rotateSigningSecret,
  UnreadableSecretError,
  type SigningSecret,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError } from '../http/output/api-error.js';
import { databaseAsCaller } from '../http/guards/authenticate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { webhookNotFound } from '../webhooks/webhook-not-found.js';
import { webhookParams } from '../webhooks/webhook-params.js';
import { signingSecretResource } from './resource.js';

/** Shows the signing secret of a webhook, or creates a missing one, and rotates it. */
export function signingRouter({ db }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/signing-secret')
    .get(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      sendSecret(
        response,
        'OK',
        await getOrCreateSigningSecret(databaseAsCaller(request, db), accountId, id).catch(refuseUnreadable),
      );
    })
    .all(allowOnly('GET', 'HEAD'));
  router
    .route('/developer/webhooks/:id/signing-secret/rotate')
    .post(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      sendSecret(
        response,
        'Signing secret rotated',
        await rotateSigningSecret(databaseAsCaller(request, db), accountId, id),
      );
    })
    .all(allowOnly('POST'));
  return router;
}

/** Throws a 409 for a signing secret that no key decrypts. Throws any other error unchanged. */
function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableSecretError)) throw error;
  throw new ApiError(
    409,
    'The signing secret cannot be read: no key of the operator opens it. Rotate it for a new one.',
  );
}

/** Sends the signing secret. Throws a 404 if there is none, because the webhook was not found. */
function sendSecret(response: Response, message: string, signing: SigningSecret | null): void {
  if (!signing) throw webhookNotFound();
  sendSuccess(response, message, signingSecretResource(signing));
}
