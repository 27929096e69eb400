import { z } from 'zod';
import { isStorable } from '@ringback/rules';
import type { NewPortalSession } from '@ringback/ledger';
import type { SessionCreator } from '../http/guards/authenticate.js';
import { ApiError, validationError } from '../http/output/api-error.js';
import { requiredText, strictBody, validate } from '../http/input/validate.js';
import { grantScopes, scopesField } from '../tokens/input.js';

const maxUrlLength = 2_048;
const maxLogoLength = 32_768;
const maxWebhooks = 50;
const webhookIdsMessage = `The webhook_ids field must have 1 to ${maxWebhooks} ids.`;
const lifetimeMessage = 'The expires_in field must be an integer between 60 and 3600.';

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Whether a URL has no user name and no password. An invalid URL passes, because another check refuses it. */
const hasNoCredentials = (text: string) => {
  const url = parseUrl(text);
  return url === undefined || (url.username === '' && url.password === '');
};

const colour = (name: string) =>
  z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, `The theme.${name} field must be a colour such as #1a2b3c.`)
    .optional();

const isImageUrl = (text: string) =>
  parseUrl(text)?.protocol === 'https:' || /^data:image\/[a-z0-9.+-]+[;,]/i.test(text);

/** The look of the portal. A theme can set only a title, a logo, three colours and a font. */
export const themeSchema = z
  .strictObject(
    {
      name: requiredText('theme.name', 100).optional().describe('The title of the portal.'),
      logo_url: z
        .string()
        .max(maxLogoLength, `The theme.logo_url field must not be greater than ${maxLogoLength} characters.`)
        .refine(
          (text) => isStorable(text) && isImageUrl(text),
          'The theme.logo_url field must be an https: or data:image URL.',
        )
        .refine(hasNoCredentials, 'The theme.logo_url field must not have a user name or password.')
        .optional()
        .describe(
          'A data:image URL, or an https: URL whose origin is that of the portal or one that the operator allows.',
        ),
      accent: colour('accent'),
      background: colour('background'),
      text: colour('text'),
      font: z
        .string()
        .regex(/^[\w ,'"-]{1,200}$/, 'The theme.font field must be a list of font names.')
        .optional()
        .describe('Names of installed fonts, separated by commas.'),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `The theme field must not have ${issue.keys.join(', ')}.`
          : 'The theme field must be an object.',
    },
  )
  .meta({ id: 'PortalTheme' });

const isReturnUrl = (text: string) => isStorable(text) && /^https?:$/.test(parseUrl(text)?.protocol ?? '');

export const newSessionSchema = strictBody({
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
  theme: themeSchema.nullish(),
  return_url: z
    .string('The return_url field must be a string.')
    .max(maxUrlLength, `The return_url field must not be greater than ${maxUrlLength} characters.`)
    .refine(isReturnUrl, 'The return_url field must be an http or https URL.')
    .refine(hasNoCredentials, 'The return_url field must not have a user name or password.')
    .nullish()
    .describe('The http or https URL to which the portal links when the session has ended.'),
}).meta({ id: 'NewPortalSession' });

export const accountNotFound = () => new ApiError(404, 'Account not found.');

const defaultLifetimeS = 900;

/** The token that opens the session, and the origins that the logo may have. */
type SessionContext = { creator: SessionCreator; logoOrigins: readonly string[] };

/**
 * Reads the body of a request that creates a session. Throws a 422 for invalid fields and for a platform that names no
 * account, a 404 for an account that names another account, and a 403 for a scope that the creator does not have.
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
function checkLogoOrigin(logo: string | undefined, origins: readonly string[]): void {
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
