import { z } from 'zod';
import { type ErrorCode, errorTypes } from '../http/output/api-error.js';
import type { TaggedOperation } from './operation.js';

const meanings: Record<ErrorCode, string> = {
  400: 'The request is malformed.',
  401: 'The token is missing, unknown, revoked, or of the wrong kind, or the portal session has ended.',
  403: 'The token lacks the scope of the operation, or the portal session is restricted to some webhooks.',
  404: 'The resource does not exist, or belongs to another account.',
  405: 'The path does not support the method; `Allow` lists the supported ones.',
  409: 'The current state does not allow the operation.',
  412: '`If-Match` has none of the current `ETag` of the webhook. Nothing was changed.',
  413: 'The body is too large.',
  415: 'The content type of the body is not supported.',
  422: 'The input is not valid; `errors` lists the errors of each field.',
  429:
    'There are too many requests per minute with the token or portal session, or too many concurrent requests, ' +
    'searches or test calls of the account. `Retry-After` says when to try again.',
  500: 'An internal error.',
  503:
    'The database or the queue engine is unavailable, a query took longer than 2 s, or no worker completed a test ' +
    'call in time.',
  508: 'The request is a callback of Ringback: a webhook points to this API.',
};

const commonErrors: ErrorCode[] = [400, 500, 508];
const callerErrors = {
  account: [401, 403, 413, 415, 429, 503],
  platform: [401, 413, 415, 503],
  sessionCreator: [401, 403, 413, 415, 429, 503],
  anyone: [],
} satisfies Record<string, ErrorCode[]>;

/** The statuses of the errors with which an operation can respond, except 408 and 431 (`server.ts`). */
export function errorCodesOf(operation: TaggedOperation): ErrorCode[] {
  const { callerKind = 'account', path, body, header, errors = [] } = operation;
  const inputErrors: ErrorCode[] = [...(path ? [404 as const] : []), ...(body ? [422 as const] : [])];
  if (header && 'If-Match' in header) inputErrors.push(412);
  return [...new Set([...commonErrors, ...callerErrors[callerKind], ...inputErrors, ...errors])].sort();
}

/** The schema of an error body. */
export function errorSchema(status: ErrorCode): z.ZodType {
  const errors = z.record(z.string(), z.array(z.string())).describe('The error messages of each field.');
  const returnUrl = z
    .string()
    .optional()
    .describe('The `return_url` of the portal session that has ended; present when the session has one.');
  const extraFields: Record<string, z.ZodType> =
    status === 422 ? { errors } : status === 401 ? { return_url: returnUrl } : {};
  const { [status]: type } = errorTypes;
  return z
    .object({ status: z.literal(type), code: z.literal(status), message: z.string(), ...extraFields })
    .meta({ id: type });
}

const retryAfter = {
  'Retry-After': { description: 'The number of seconds after which to try again.', schema: { type: 'integer' } },
};

/** The response with an error of this status, for `components.responses`. */
export const errorResponse = (status: ErrorCode, schema: object) => ({
  description: meanings[status],
  ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
  content: { 'application/json': { schema } },
});
