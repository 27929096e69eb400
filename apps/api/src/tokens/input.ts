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
 * The requested scopes in their fixed order, or all of the caller's. Throws a 403 for one that the caller does not
 * have.
 */
export function grantScopes(requested: readonly Scope[] | null | undefined, callerScopes: readonly Scope[]): Scope[] {
  const missing = requested?.find((scope) => !callerScopes.includes(scope));
  if (missing !== undefined) throw new ApiError(403, `This token lacks the scope "${missing}", so it cannot grant it.`);
  return scopes.filter((scope) => (requested ?? callerScopes).includes(scope));
}

/** Reads `{scopes}` for a caller with these scopes. */
export const readRequestedScopes = (body: unknown, callerScopes: readonly Scope[]): Scope[] =>
  grantScopes(validate(newAccessTokenSchema, body).scopes, callerScopes);
