import { z } from 'zod';
import { type Scope, scopes } from '@ringback/database';
import { ApiError } from '../http/output/api-error.js';
import { validate } from '../http/input/validate.js';

const choices = scopes.join(', ');

/** One or more scopes. Absent and null mean all scopes of the caller. */
export const scopesField = z
  .array(z.enum(scopes, `The scopes field may have only ${choices}.`), 'The scopes field must be a list.')
  .min(1, 'The scopes field must have at least one scope.')
  .nullish()
  .describe(`One or more of ${choices}, and at most the scopes of the caller; when absent, those of the caller.`);

export const newAccessTokenSchema = z.object({ scopes: scopesField }).meta({ id: 'NewAccessToken' });

/**
 * The requested scopes, or all scopes of the caller if none are requested, in their fixed order. Throws a 403 for a
 * scope that the caller does not have.
 */
export function grantScopes(requested: readonly Scope[] | null | undefined, callerScopes: readonly Scope[]): Scope[] {
  const missing = requested?.find((scope) => !callerScopes.includes(scope));
  if (missing !== undefined) throw new ApiError(403, `This token lacks the scope "${missing}", so it cannot grant it.`);
  return scopes.filter((scope) => (requested ?? callerScopes).includes(scope));
}

/** Reads `{scopes}`, and returns the scopes that a caller with `callerScopes` grants. Throws as `grantScopes` does. */
export const readGrantedScopes = (body: unknown, callerScopes: readonly Scope[]): Scope[] =>
  grantScopes(validate(newAccessTokenSchema, body).scopes, callerScopes);
