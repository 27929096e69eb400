import { under } from '../openapi/operation.js';
import { exampleWebhook, whichWebhookPath } from '../webhooks/operations.js';
import { signingSecretResource, signingSecretSchema } from './resource.js';

const path = { id: exampleWebhook.id };
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwV3jBy0a1b2c=';

export const signingOperations = under('Signing', [
  {
    id: 'showSigningSecret',
    at: 'GET /developer/webhooks/{id}/signing-secret',
    scope: 'write',
    summary: 'Show the signing secret',
    about:
      'The key of `webhook-signature`, the signature of Standard Webhooks. Every webhook has one of its own from its ' +
      'creation; one that is older than this signature gets it when this is first asked, and signs from then on. 409 when no ' +
      'key of the operator opens it.',
    path: whichWebhookPath,
    answer: { message: 'OK', data: signingSecretSchema },
    errors: [409],
    example: { path, data: signingSecretResource({ secret, previousSignsUntil: null }) },
  },
  {
    id: 'rotateSigningSecret',
    at: 'POST /developer/webhooks/{id}/signing-secret/rotate',
    scope: 'write',
    summary: 'Replace the signing secret',
    about:
      'For 24 hours callbacks carry a signature with each of the two secrets, the new one first. A second rotation ' +
      'within that time ends the oldest secret at once.',
    path: whichWebhookPath,
    answer: { message: 'Signing secret rotated', data: signingSecretSchema },
    example: {
      path,
      data: signingSecretResource({ secret, previousSignsUntil: new Date('2026-01-16T09:30:00Z') }),
    },
  },
]);
