import type { Response } from 'express';
import {
  getOrCreateSigningSecret,
  rotateSigningSecret,
  type SigningSecret,
  UnreadableSecretError,
} from '@ringback/ledger';
import { callerOf, databaseAsCaller, webhookNotFound } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { signingSecretResource } from './schema.js';

/** Shows the signing secret of a webhook, or creates a missing one, and rotates it. */
export const signingSecretRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/webhooks/{id}/signing-secret': (request, response) => show(deps, request, response),
  'POST /developer/webhooks/{id}/signing-secret/rotate': (request, response) => rotate(deps, request, response),
});

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const getting = getOrCreateSigningSecret(databaseAsCaller(request, db), accountId, request.params.id);
  sendSecret(response, 'OK', await getting.catch(rethrowUnreadableError));
}

async function rotate({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const rotated = await rotateSigningSecret(databaseAsCaller(request, db), accountId, request.params.id);
  sendSecret(response, 'Signing secret rotated', rotated);
}

/** Throws a 409 for a signing secret that no key decrypts. Throws any other error unchanged. */
function rethrowUnreadableError(error: unknown): never {
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
