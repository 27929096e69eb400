import { z } from 'zod';
import type { SigningSecret } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

export const signingSecretSchema = z
  .object({
    secret: z.string().describe('`whsec_` and the key in base64, the format of the Standard Webhooks libraries.'),
    previous_signs_until: timestampSchema
      .nullable()
      .describe(
        'The time until which callbacks also carry a signature with the previous secret; null when they do not.',
      ),
  })
  .meta({ id: 'SigningSecret' });

/** The signing secret of a webhook in the format of the API. */
export const signingSecretResource = (signing: SigningSecret): z.infer<typeof signingSecretSchema> => ({
  secret: signing.secret,
  previous_signs_until: formatTimestamp(signing.previousSignsUntil),
});
