import { z } from 'zod';
import { type ErrorStatus, errorTypes } from '../http/api-error.js';
import type { TaggedOperation } from './operation.js';

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is malformed.',
  401: 'The token is missing, unknown, or of the wrong kind.',
  403: 'The token lacks the scope of the operation.',
  404: 'The resource does not exist, or belongs to another account.',
  405: 'The path does not support the method; `Allow` lists the supported ones.',
  409: 'The current state does not allow the operation.',
  413: 'The body is too large.',
  415: 'The content type of the body is not supported.',
  422: 'The input is not valid; `errors` lists the errors of each field.',
  429: 'The account makes too many requests, in this minute or at the same time; `Retry-After` says when to try again.',
  500: 'An internal error.',
  503: 'The database or the queue is unavailable, or a list query took longer than 2 s and was cancelled.',
  508: 'The request is a callback of Ringback: a webhook points to this API.',
};

const commonErrors: ErrorStatus[] = [400, 500, 508];
const callerErrors = {
  account: [401, 403, 413, 415, 429, 503],
  platform: [401, 413, 415, 503],
  anyone: [],
} satisfies Record<string, ErrorStatus[]>;

/** The statuses of all errors that an operation can return. */
export function errorsOf(operation: TaggedOperation): ErrorStatus[] {
  const { caller = 'account', path, body, errors = [] } = operation;
  const inputErrors: ErrorStatus[] = [...(path ? [404 as const] : []), ...(body ? [422 as const] : [])];
  return [...new Set([...commonErrors, ...callerErrors[caller], ...inputErrors, ...errors])].sort();
}

/** The schema of the body of an error. */
export function errorSchema(status: ErrorStatus): z.ZodType {
  const errors = z.record(z.string(), z.array(z.string())).describe('The error messages of each field.');
  const fieldErrors = status === 422 ? { errors } : {};
  const { [status]: type } = errorTypes;
  return z
    .object({ status: z.literal(type), code: z.literal(status), message: z.string(), ...fieldErrors })
    .meta({ id: type });
}

const retryAfter = {
  'Retry-After': { description: 'The seconds to wait before the next try.', schema: { type: 'integer' } },
};

/** The response of an error, for `components.responses`. */
export const errorResponse = (status: ErrorStatus, schema: object) => ({
  description: meanings[status],
  ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
  content: { 'application/json': { schema } },
});
