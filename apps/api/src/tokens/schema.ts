import { z } from 'zod';
import { type AccessToken, type Scope, scopes } from '@ringback/ledger';
import { nullableText, strictBody, validate } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { ApiError, emptyList, formatTimestamp, timestampSchema } from '../http/response.js';

const choices = scopes.join(', ');

const emptyMessage = 'The scopes field must have at least one scope.';
const isEmpty = (input: unknown) => input === null || input === '';

/**
 * One or more scopes. Only an absent field means all scopes of the caller: an empty one is an error, because it may
 * come from a form or a variable without a value.
 */
export const scopesField = z
  .array(z.enum(scopes, `The scopes field may have only ${choices}.`), {
    error: ({ input }) => (isEmpty(input) ? emptyMessage : 'The scopes field must be a list.'),
  })
  .min(1, emptyMessage)
  .optional()
  .describe(`One or more of ${choices}, and at most the scopes of the caller; when absent, those of the caller.`);

const nameField = nullableText('name', 255)
  .optional()
  .describe('What the token is for, at most 255 characters after trimming. Lists show it.');

export const newAccessTokenSchema = strictBody({ name: nameField, scopes: scopesField }).meta({
  id: 'AccessTokenInput',
});

/**
 * The requested scopes, or all scopes of the caller if none are requested, in their fixed order. Throws a 403 for a
 * scope that the caller does not have.
 */
export function grantScopes(requested: readonly Scope[] | undefined, callerScopes: readonly Scope[]): Scope[] {
  const missing = requested?.find((scope) => !callerScopes.includes(scope));
  if (missing !== undefined) throw new ApiError(403, `This token lacks the scope "${missing}", so it cannot grant it.`);
  return scopes.filter((scope) => (requested ?? callerScopes).includes(scope));
}

/** Reads `{name, scopes}`, with the scopes that a caller with `callerScopes` grants. Throws as `grantScopes` does. */
export function readNewAccessToken(
  body: unknown,
  callerScopes: readonly Scope[],
): { name: string | null; scopes: Scope[] } {
  const { name = null, scopes: requested } = validate(newAccessTokenSchema, body);
  return { name, scopes: grantScopes(requested, callerScopes) };
}

const tokenFields = z.object({
  id: z.uuid(),
  name: z
    .string()
    .optional()
    .describe('What the token is for; present when it was given, or had a name before an import.'),
  scopes: z.array(z.enum(scopes)),
  created_at: timestampSchema,
  revoked_at: timestampSchema.nullable(),
});

export const accessTokenSchema = tokenFields.meta({ id: 'AccessToken' });
/** The response to a creation. No other response shows the token itself. */
export const createdAccessTokenSchema = tokenFields
  .extend({ token: z.string().describe('The token. It is not stored and cannot be shown again.') })
  .meta({ id: 'CreatedAccessToken' });

export const accessTokenResource = (token: Omit<AccessToken, 'accountId'>): z.infer<typeof accessTokenSchema> => ({
  id: token.id,
  ...(token.name === null ? {} : { name: token.name }),
  scopes: token.scopes,
  created_at: formatTimestamp(token.createdAt),
  revoked_at: formatTimestamp(token.revokedAt),
});

/** The access token that the examples show. */
export const exampleToken: Omit<AccessToken, 'accountId'> = {
  id: '5d1f6c1e-8a57-4c0b-9f33-0123456789ab',
  name: 'reports',
  scopes: ['read'],
  createdAt: new Date('2026-01-15T09:29:00Z'),
  revokedAt: null,
};

/** Another access token, with all scopes, for the example of the list. */
const fullToken: typeof exampleToken = {
  ...exampleToken,
  id: '0b9f33c1-5d1f-4a57-8c1e-0123456789ab',
  name: null,
  scopes: ['read', 'write', 'replay'],
};

export const tokenOperations = tagOperations('Access tokens', [
  {
    id: 'listTokens',
    route: 'GET /developer/tokens',
    scope: 'read',
    summary: 'List access tokens',
    description: 'First the tokens that are not revoked, then the most recently revoked ones; at most 200 in all.',
    response: { message: 'Access tokens', data: z.array(accessTokenSchema) },
    example: { data: [accessTokenResource(fullToken), accessTokenResource(exampleToken)] },
  },
  {
    id: 'createToken',
    route: 'POST /developer/tokens',
    scope: 'write',
    summary: 'Create an access token',
    description:
      'Only this response shows the token itself. 403 for a scope that the caller does not have. An account may ' +
      'have at most 100 access tokens that are not revoked.',
    body: newAccessTokenSchema,
    response: { message: 'Access token created', data: createdAccessTokenSchema },
    example: {
      body: { name: 'reports', scopes: ['read'] },
      data: { ...accessTokenResource(exampleToken), token: 'rb_access_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a' },
    },
  },
  {
    id: 'revokeToken',
    route: 'DELETE /developer/tokens/{id}',
    scope: 'write',
    summary: 'Revoke an access token',
    description: 'The token is refused at once, and the portal sessions that it opened end.',
    path: { id: z.uuid().describe('The id of an access token of the account.') },
    response: { message: 'Access token revoked', data: emptyList },
    example: { path: { id: exampleToken.id }, data: [] },
  },
]);
