import { z } from 'zod';
import type { Verification } from '@ringback/database';
import { time, timestamp } from '../http/timestamp.js';

export const verificationSchema = z
  .object({
    id: z.uuid(),
    webhook_id: z.uuid(),
    status: z.enum(['pending', 'passed', 'failed']),
    attempts: z.int(),
    reason: z.string().nullable().describe('Why the last attempt failed.'),
    next_attempt_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Verification' });

/** A verification in the format of the API. */
export const verificationResource = (verification: Verification): z.infer<typeof verificationSchema> => ({
  id: verification.id,
  webhook_id: verification.webhookId,
  status: verification.state,
  attempts: verification.attempts,
  reason: verification.reason,
  next_attempt_at: timestamp(verification.nextAttemptAt),
  created_at: timestamp(verification.createdAt),
  updated_at: timestamp(verification.updatedAt),
});
