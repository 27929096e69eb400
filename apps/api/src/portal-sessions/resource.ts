import { z } from 'zod';
import { type CreatedPortalSession, type PortalSession, scopes } from '@ringback/ledger';
import { portalLink } from '@ringback/process';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';
import { themeSchema } from './input.js';

export const openedSessionSchema = z
  .object({
    id: z.uuid(),
    url: z.string().describe('The address of the portal, with the link token of the session in the fragment.'),
    expires_at: timestampSchema,
  })
  .meta({ id: 'CreatedPortalSession' });

export const sessionSchema = z
  .object({
    token: z.string().describe('The bearer token for operations under `/developer`, valid until the session ends.'),
    account: z.object({ id: z.uuid(), name: z.string() }),
    scopes: z.array(z.enum(scopes)),
    webhook_ids: z
      .array(z.uuid())
      .nullable()
      .describe('The webhooks to which the session is restricted; null means all.'),
    actor: z.string().nullable(),
    mask: z.boolean(),
    theme: themeSchema.nullable(),
    return_url: z.string().nullable(),
    expires_at: timestampSchema,
  })
  .meta({ id: 'PortalSession' });

/** A newly opened session in the format of the API. */
export const openedSessionResource = (
  { id, linkToken, expiresAt }: CreatedPortalSession,
  baseUrl: string,
): z.infer<typeof openedSessionSchema> => ({
  id,
  url: portalLink(baseUrl, linkToken),
  expires_at: formatTimestamp(expiresAt),
});

/** A session that has not ended, in the format of the API. */
export const sessionResource = (session: PortalSession & { bearer: string }) => ({
  token: session.bearer,
  account: { id: session.accountId, name: session.accountName },
  scopes: session.scopes,
  webhook_ids: session.webhookIds,
  actor: session.portalUserName,
  mask: session.maskPhoneNumbers,
  theme: session.theme,
  return_url: session.returnUrl,
  expires_at: formatTimestamp(session.expiresAt),
});
