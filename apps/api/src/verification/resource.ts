import { z } from 'zod';
import type { Verification } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

export const verificationSchema = z
  .object({
    id: z.uuid(),
    webhook_id: z.uuid(),
    status: z.enum(['pending', 'passed', 'failed']),
    attempts: z.int(),
    reason: z
      .string()
      .nullable()
      .describe('Why the last attempt failed, or why the verification was ended without passing.'),
    next_attempt_at: timestampSchema.nullable(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Verification' });

/** A verification in the format of the API. */
export const verificationResource = (verification: Verification): z.infer<typeof verificationSchema> => ({
  id: verification.id,
  webhook_id: verification.webhookId,
  status: verification.state,
  attempts: verification.attemptCount,
  reason: verification.reason,
  next_attempt_at: formatTimestamp(verification.nextAttemptAt),
  created_at: formatTimestamp(verification.createdAt),
  updated_at: formatTimestamp(verification.updatedAt),
});
