import { z } from 'zod';
import type { SigningSecret } from '@ringback/database';
import { time, timestamp } from '../http/envelope.js';

export const signingSecretSchema = z
  .object({
    secret: z.string().describe('`whsec_` and the key in base64, as libraries of Standard Webhooks take it.'),
    previous_signs_until: time
      .nullable()
      .describe('Until when callbacks carry a signature with the secret before it, too. Null when they do not.'),
  })
  .meta({ id: 'SigningSecret' });

/** The signing secret of a webhook on the wire. */
export const signingSecretResource = (signing: SigningSecret): z.infer<typeof signingSecretSchema> => ({
  secret: signing.secret,
  previous_signs_until: timestamp(signing.previousSignsUntil),
});
