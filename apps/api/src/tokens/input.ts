import { z } from 'zod';
import { type Scope, scopes } from '@ringback/ledger';
import { ApiError } from '../http/output/api-error.js';
import { strictBody, validate } from '../http/input/validate.js';

const choices = scopes.join(', ');

const emptyMessage = 'The scopes field must have at least one scope.';
const isEmpty = (input: unknown) => input === null || input === '';

/**
 * One or more scopes. Only an absent field means all scopes of the caller: an empty one is an error, because it may come
 * from a form or a variable without a value.
 */
export const scopesField = z
  .array(z.enum(scopes, `The scopes field may have only ${choices}.`), {
    error: ({ input }) => (isEmpty(input) ? emptyMessage : 'The scopes field must be a list.'),
  })
  .min(1, emptyMessage)
  .optional()
  .describe(`One or more of ${choices}, and at most the scopes of the caller; when absent, those of the caller.`);

export const newAccessTokenSchema = strictBody({ scopes: scopesField }).meta({ id: 'NewAccessToken' });

/**
 * The requested scopes, or all scopes of the caller if none are requested, in their fixed order. Throws a 403 for a
 * scope that the caller does not have.
 */
export function grantScopes(requested: readonly Scope[] | undefined, callerScopes: readonly Scope[]): Scope[] {
  const missing = requested?.find((scope) => !callerScopes.includes(scope));
  if (missing !== undefined) throw new ApiError(403, `This token lacks the scope "${missing}", so it cannot grant it.`);
  return scopes.filter((scope) => (requested ?? callerScopes).includes(scope));
}

/** Reads `{scopes}`, and returns the scopes that a caller with `callerScopes` grants. Throws as `grantScopes` does. */
export const readGrantedScopes = (body: unknown, callerScopes: readonly Scope[]): Scope[] =>
  grantScopes(validate(newAccessTokenSchema, body).scopes, callerScopes);
