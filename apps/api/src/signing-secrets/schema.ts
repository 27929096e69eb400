import { z } from 'zod';
import type { SigningSecret } from '@ringback/ledger';
import { tagOperations } from '../http/operation.js';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook, webhookPath } from '../webhooks/schema.js';

const signingSecretSchema = z
  .object({
    secret: z.string().describe('`whsec_` and the key in base64, the format of the Standard Webhooks libraries.'),
    previous_signs_until: timestampSchema
      .nullable()
      .describe(
        'The time until which callbacks also carry a signature with the previous secret; null when they do not.',
      ),
  })
  .meta({ id: 'SigningSecret' });

export const signingSecretResource = (signing: SigningSecret): z.infer<typeof signingSecretSchema> => ({
  secret: signing.secret,
  previous_signs_until: formatTimestamp(signing.previousSignsUntil),
});

const path = { id: exampleWebhook.id };
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwV3jBy0a1b2c=';

export const signingSecretOperations = tagOperations('Signing', [
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
