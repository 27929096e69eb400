import type { Verification } from '@ringback/database';
import { under } from '../openapi/operation.js';
import { exampleWebhook, whichWebhookPath } from '../webhooks/operations.js';
import { verificationResource, verificationSchema } from './resource.js';

/** A run of the challenge of the example's webhook. */
export const exampleVerification: Verification = {
  id: '0199f3a0-7c11-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  state: 'passed',
  attempts: 1,
  reason: null,
  nextAttemptAt: null,
  createdAt: new Date('2026-01-15T09:30:00Z'),
  updatedAt: new Date('2026-01-15T09:30:01Z'),
};

const path = { id: exampleWebhook.id };
const started: Verification = {
  ...exampleVerification,
  state: 'pending',
  attempts: 0,
  nextAttemptAt: exampleVerification.createdAt,
};

export const verificationOperations = under('Verification', [
  {
    id: 'showVerification',
    at: 'GET /developer/webhooks/{id}/verification',
    scope: 'read',
    summary: 'Show the outcome of the verification challenge',
    about: 'That of the newest run; 404 when there never was one.',
    path: whichWebhookPath,
    answer: { message: 'OK', data: verificationSchema },
    example: { path, data: verificationResource(exampleVerification) },
  },
  {
    id: 'startVerification',
    at: 'POST /developer/webhooks/{id}/verification',
    scope: 'write',
    summary: 'Send the verification challenge again',
    about:
      'A webhook that was created without a `token` cannot be challenged: 422. 409 when no key of the operator opens it.',
    path: whichWebhookPath,
    answer: { message: 'Verification started', data: verificationSchema },
    errors: [409, 422],
    example: { path, data: verificationResource(started) },
  },
]);
