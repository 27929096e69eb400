import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { signingSecretResource, signingSecretSchema } from './resource.js';

const path = { id: exampleWebhook.id };
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwV3jBy0a1b2c=';

export const signingOperations = tagOperations('Signing', [
  {
    id: 'showSigningSecret',
    route: 'GET /developer/webhooks/{id}/signing-secret',
    scope: 'write',
    summary: 'Show the signing secret',
    description:
      'The key of `webhook-signature`, the signature of Standard Webhooks. Each webhook gets its own secret when ' +
      'it is created. A webhook older than this feature gets a secret with the first request to this operation or ' +
      'with a rotation, and its callbacks carry `webhook-signature` from then on. 409 ' +
      'when the secret cannot be decrypted with the keys of the operator.',
    path: webhookPath,
    response: { message: 'OK', data: signingSecretSchema },
    errors: [409],
    example: { path, data: signingSecretResource({ secret, previousSignsUntil: null }) },
  },
  {
    id: 'rotateSigningSecret',
    route: 'POST /developer/webhooks/{id}/signing-secret/rotate',
    scope: 'write',
    summary: 'Replace the signing secret',
    description:
      'For 24 hours callbacks carry a signature with each secret, the new one first. A second rotation within ' +
      'that time removes the oldest secret at once.',
    path: webhookPath,
    response: { message: 'Signing secret rotated', data: signingSecretSchema },
    example: {
      path,
      data: signingSecretResource({ secret, previousSignsUntil: new Date('2026-01-16T09:30:00Z') }),
    },
  },
]);
