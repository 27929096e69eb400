import { z } from 'zod';
import { type CreatedPortalSession, type NewPortalSession, type PortalSession, scopes } from '@ringback/ledger';
import { portalLink, type PublicAddress } from '@ringback/process';
import { hasNoCredentials, isStorable, parseUrl, type PortalTheme, portalThemeSchema } from '@ringback/rules';
import { accountNotFound, type SessionCreator } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { requiredText, strictBody, validate } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { emptyList, formatTimestamp, timestampSchema, validationError } from '../http/response.js';
import { grantScopes, scopesField } from '../tokens/schema.js';
import { exampleWebhook } from '../webhooks/schema.js';

const maxUrlLength = 2_048;
const maxWebhooks = 50;
const webhookIdsMessage = `The webhook_ids field must have 1 to ${maxWebhooks} ids.`;
const lifetimeMessage = 'The expires_in field must be an integer between 60 and 3600.';

export const newThemeSchema = portalThemeSchema.meta({ id: 'PortalThemeInput' });
export const themeSchema = z.object(portalThemeSchema.shape).meta({ id: 'PortalTheme' });

const isReturnUrl = (text: string) => isStorable(text) && /^https?:$/.test(parseUrl(text)?.protocol ?? '');

const newSessionSchema = strictBody({
  account_id: z
    .string('The account_id field must be a string.')
    .nullish()
    .describe(
      'The account of the session. With an access token it may be omitted; if present, it must be the account ' +
        'of the token.',
    ),
  scopes: scopesField,
  webhook_ids: z
    .array(z.string('The webhook_ids field must have ids only.'), {
      error: ({ input }) =>
        input === null || input === '' ? webhookIdsMessage : 'The webhook_ids field must be a list.',
    })
    .min(1, webhookIdsMessage)
    .max(maxWebhooks, webhookIdsMessage)
    .optional()
    .describe(
      'The webhooks to which the session is restricted: live webhooks of the account. When absent, the session ' +
        'is not restricted. For a restricted session, other webhooks do not exist. It cannot create webhooks or ' +
        'subscriptions, list, create or revoke access tokens, clear the secret of a webhook, or change the uri of ' +
        'a webhook that has no secret.',
    ),
  expires_in: z
    .int(lifetimeMessage)
    .min(60, lifetimeMessage)
    .max(3_600, lifetimeMessage)
    .nullish()
    .describe('The number of seconds until the session ends; 900 when absent.'),
  actor: requiredText('actor', 255).nullish().describe('The name of the portal user, for the change history.'),
  mask: z
    .boolean('The mask field must be true or false.')
    .optional()
    .describe('Whether the portal masks phone numbers until the user shows them; false when absent.'),
  theme: newThemeSchema.nullish(),
  return_url: z
    .string('The return_url field must be a string.')
    .max(maxUrlLength, `The return_url field must not be greater than ${maxUrlLength} characters.`)
    .refine(isReturnUrl, 'The return_url field must be an http or https URL.')
    .refine(hasNoCredentials, 'The return_url field must not have a user name or password.')
    .nullish()
    .describe('The http or https URL to which the portal links when the session has ended.'),
}).meta({ id: 'PortalSessionInput' });

const defaultLifetimeS = 900;

/** The origins of the logos that the portal may load. */
export const logoOriginsOf = ({
  publicUrl,
  logoOrigins = [],
}: Pick<ApiDeps, 'publicUrl' | 'logoOrigins'>): string[] => [new URL(publicUrl).origin, ...logoOrigins];

/** The token that opens the session, and the origins that the logo may have. */
type SessionContext = { creator: SessionCreator; logoOrigins: readonly string[] };

/**
 * Reads the body of a request that creates a session. Throws a 422 for invalid fields, or if a platform names no
 * account; a 404 if an account names another one; a 403 for a scope that the creator lacks.
 */
export function readNewSession(
  body: unknown,
  { creator, logoOrigins }: SessionContext,
): { accountId: string; session: NewPortalSession } {
  const input = validate(newSessionSchema, body);
  checkLogoOrigin(input.theme?.logo_url, logoOrigins);
  const accountId = input.account_id?.toLowerCase() ?? creator.accountId;
  if (accountId === null) throw validationError({ account_id: ['The account_id field is required.'] });
  if (creator.accountId !== null && accountId !== creator.accountId) throw accountNotFound();
  const session = {
    scopes: grantScopes(input.scopes, creator.scopes),
    webhookIds: input.webhook_ids ?? null,
    expiresInS: input.expires_in ?? defaultLifetimeS,
    portalUserName: input.actor ?? null,
    maskPhoneNumbers: input.mask ?? false,
    theme: input.theme ?? null,
    returnUrl: input.return_url ?? null,
    creatorId: creator.credentialId,
  };
  return { accountId, session };
}

/** Throws a 422 for a logo that the portal's Content-Security-Policy does not allow. */
export function checkLogoOrigin(logo: string | undefined, origins: readonly string[]): void {
  if (logo === undefined) return;
  const { protocol, origin } = new URL(logo);
  if (protocol === 'data:' || origins.includes(origin)) return;
  const message = `The theme.logo_url field has the origin ${origin}, which PORTAL_LOGO_ORIGINS does not allow.`;
  throw validationError({ 'theme.logo_url': [message] });
}

export const exchangeSchema = z
  .object({
    session: z
      .string({
        error: ({ input }) =>
          (input ?? '') === '' ? 'The session field is required.' : 'The session field must be a string.',
      })
      .min(1, 'The session field is required.')
      .max(255, 'The session field must not be greater than 255 characters.')
      .describe('The link token: `session` in the fragment of the `url` of a session.'),
  })
  .meta({ id: 'PortalSessionExchange' });

const openedSessionSchema = z
  .object({
    id: z.uuid(),
    url: z.string().describe('The address of the portal, with the link token of the session in the fragment.'),
    expires_at: timestampSchema,
  })
  .meta({ id: 'CreatedPortalSession' });

const sessionSchema = z
  .object({
    token: z.string().describe('The bearer token for operations under `/developer`, valid until the session ends.'),
    account: z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'PortalAccount' }),
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
  address: Pick<PublicAddress, 'publicUrl'>,
): z.infer<typeof openedSessionSchema> => ({
  id,
  url: portalLink(address, linkToken),
  expires_at: formatTimestamp(expiresAt),
});

/**
 * A session that has not ended, in the format of the API. What its theme leaves open, that of its account decides, and
 * then that of the operator.
 */
export const sessionResource = (session: PortalSession & { bearer: string }, operatorTheme?: PortalTheme) => ({
  token: session.bearer,
  account: { id: session.accountId, name: session.accountName },
  scopes: session.scopes,
  webhook_ids: session.webhookIds,
  actor: session.portalUserName,
  mask: session.maskPhoneNumbers,
  theme: mergeThemes(operatorTheme, session.accountTheme, session.theme),
  return_url: session.returnUrl,
  expires_at: formatTimestamp(session.expiresAt),
});

const mergeThemes = (...themes: (PortalTheme | null | undefined)[]): PortalTheme | null =>
  themes.some(Boolean) ? Object.assign({}, ...themes) : null;

/** The session that all examples show, with its link token and its bearer token. */
export const exampleSession = {
  id: '7c0b9f33-1e8a-4a57-8c1e-0123456789ab',
  linkToken: 'rb_portal_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a',
  bearer: 'rb_session_K0yfCs4lzUcGn7Qe2XhJwTt1aVb8d5MRpLgZr3oEi6A',
  accountId: exampleWebhook.accountId,
  accountName: 'example',
  accountTheme: null,
  scopes: ['read' as const],
  webhookIds: [exampleWebhook.id],
  portalUserName: 'Ann Other',
  maskPhoneNumbers: true,
  theme: { name: 'Acme messages', accent: '#0a7cff' },
  returnUrl: 'https://example.com/messages',
  expiresAt: new Date('2026-01-15T09:45:00Z'),
};

const { id, linkToken } = exampleSession;

export const portalSessionOperations = tagOperations('Portal', [
  {
    id: 'createPortalSession',
    route: 'POST /portal-sessions',
    callerKind: 'sessionCreator',
    summary: 'Open a session of the portal',
    description:
      'The url is for one person and works once. It leads to the portal, which shows the webhooks, deliveries and statistics of ' +
      'the account. A platform token with the scope `portal` can open sessions for any account. An access token can open sessions for its ' +
      'own account, with at most its own scopes (403 otherwise). A session also ends when the token that opened ' +
      'it is revoked. 403 while the account is suspended; 404 for an unknown account; 409 when the account has 1,000 sessions that have not ended.',
    body: newSessionSchema,
    response: { message: 'Portal session created', data: openedSessionSchema },
    errors: [404, 409],
    example: {
      body: {
        account_id: exampleSession.accountId,
        scopes: exampleSession.scopes,
        webhook_ids: exampleSession.webhookIds,
        expires_in: 900,
        actor: exampleSession.portalUserName,
        mask: exampleSession.maskPhoneNumbers,
        theme: exampleSession.theme,
        return_url: exampleSession.returnUrl,
      },
      data: {
        id,
        url: portalLink({ publicUrl: 'http://localhost:3000' }, linkToken),
        expires_at: '2026-01-15T09:45:00.000000Z',
      },
    },
  },
  {
    id: 'exchangePortalSession',
    route: 'POST /portal-sessions/exchange',
    callerKind: 'anyone',
    summary: 'Exchange the link token of a session for its bearer token',
    description:
      'The portal uses this operation, because it has no other token. A link token can be exchanged once. 401 for an ' +
      'unknown link token, for one that has been used, and for a session that has ended; the last two responses have ' +
      'the `return_url` of the session. 403 while the account is suspended.',
    body: exchangeSchema,
    response: { message: 'Portal session', data: sessionSchema },
    errors: [401, 403, 413, 415, 503],
    example: { body: { session: linkToken }, data: sessionResource(exampleSession) },
  },
  {
    id: 'endPortalSession',
    route: 'DELETE /portal-sessions/{id}',
    callerKind: 'sessionCreator',
    summary: 'End a session of the portal',
    description:
      'The bearer token is refused at once. A session that has already ended does not change. A platform token ' +
      'can end any session. An access token can end the sessions of its account that it opened itself, and those ' +
      'with at most its own scopes (403 otherwise).',
    path: { id: z.uuid().describe('The id of a session.') },
    response: { message: 'Portal session ended', data: emptyList },
    example: { path: { id }, data: [] },
  },
]);
