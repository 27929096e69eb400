import { z } from 'zod';
import { type AccessToken, scopes } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

const fields = z.object({
  id: z.uuid(),
  scopes: z.array(z.enum(scopes)),
  created_at: timestampSchema,
  revoked_at: timestampSchema.nullable(),
});

export const accessTokenSchema = fields.meta({ id: 'AccessToken' });
/** The response to a creation. No other response shows the token itself. */
export const createdAccessTokenSchema = fields
  .extend({ token: z.string().describe('The token. It is not stored and cannot be shown again.') })
  .meta({ id: 'CreatedAccessToken' });

/** An access token in the format of the API. */
export const accessTokenResource = (token: Omit<AccessToken, 'accountId'>): z.infer<typeof accessTokenSchema> => ({
  id: token.id,
  scopes: token.scopes,
  created_at: formatTimestamp(token.createdAt),
  revoked_at: formatTimestamp(token.revokedAt),
});
