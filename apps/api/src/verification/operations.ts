import type { Verification } from '@ringback/ledger';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { verificationResource, verificationSchema } from './resource.js';

/** The verification that all examples show. */
export const exampleVerification: Verification = {
  id: '0199f3a0-7c11-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  state: 'passed',
  attemptCount: 1,
  reason: null,
  nextAttemptAt: null,
  createdAt: new Date('2026-01-15T09:30:00Z'),
  updatedAt: new Date('2026-01-15T09:30:01Z'),
};

const path = { id: exampleWebhook.id };
const started: Verification = {
  ...exampleVerification,
  state: 'pending',
  attemptCount: 0,
  nextAttemptAt: exampleVerification.createdAt,
};

export const verificationOperations = tagOperations('Verification', [
  {
    id: 'showVerification',
    route: 'GET /developer/webhooks/{id}/verification',
    scope: 'read',
    summary: 'Show the newest verification',
    description: '404 when the webhook never had one.',
    path: webhookPath,
    response: { message: 'OK', data: verificationSchema },
    example: { path, data: verificationResource(exampleVerification) },
  },
  {
    id: 'startVerification',
    route: 'POST /developer/webhooks/{id}/verification',
    scope: 'write',
    summary: 'Start a verification again',
    description:
      '422 for a webhook that was created without a `token`. 409 when the token cannot be decrypted with the keys ' +
      'of the operator.',
    path: webhookPath,
    response: { message: 'Verification started', data: verificationSchema },
    errors: [409, 422],
    example: { path, data: verificationResource(started) },
  },
]);
