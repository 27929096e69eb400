import { z } from 'zod';
import type { Verification } from '@ringback/ledger';
import { tagOperations } from '../http/operation.js';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook, webhookPath } from '../webhooks/schema.js';

const verificationSchema = z
  .object({
    id: z.uuid(),
    webhook_id: z.uuid(),
    status: z.enum(['pending', 'passed', 'failed']),
    attempts: z.int(),
    reason: z
      .string()
      .nullable()
      .describe('Why the last attempt failed, or why the verification was ended without passing.'),
    advice: z.string().optional().describe('What to do about it. Only after an unsuccessful attempt.'),
    next_attempt_at: timestampSchema.nullable(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Verification' });

export const verificationResource = (verification: Verification): z.infer<typeof verificationSchema> => ({
  id: verification.id,
  webhook_id: verification.webhookId,
  status: verification.state,
  attempts: verification.attemptCount,
  reason: verification.reason,
  ...(verification.advice === null ? {} : { advice: verification.advice }),
  next_attempt_at: formatTimestamp(verification.nextAttemptAt),
  created_at: formatTimestamp(verification.createdAt),
  updated_at: formatTimestamp(verification.updatedAt),
});

/** The verification that all examples show. */
export const exampleVerification: Verification = {
  id: '0199f3a0-7c11-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  state: 'passed',
  attemptCount: 1,
  reason: null,
  advice: null,
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
