import { z } from 'zod';
import { type ErrorStatus, errorTypes } from '../http/api-error.js';
import type { TaggedOperation } from './operation.js';

const meanings: Record<ErrorStatus, string> = {
  400: 'The request is malformed.',
  401: 'There is no token, or one that does not count here.',
  403: 'The token lacks the scope of the operation.',
  404: 'There is no such thing, or it is not the account’s.',
  405: 'The path does not know the method; `Allow` says which it knows.',
  409: 'It cannot be done in this state.',
  413: 'The body is too large.',
  415: 'The body is neither `application/json` nor, where one is taken, a form.',
  422: 'What was sent is not valid; `errors` says what, field by field.',
  429: 'Too many requests in this minute, or too many under way at once; `Retry-After` says when to come back.',
  500: 'A defect of ours.',
  503: 'The database or the queue is away, or a list took longer than 2 s and was cancelled; try again later.',
  508: 'The request is a callback of Ringback: a webhook points back at it.',
};

const ofEverybody: ErrorStatus[] = [400, 500, 508];
const ofCallers = {
  account: [401, 403, 413, 415, 429, 503],
  platform: [401, 413, 415, 503],
  anybody: [],
} satisfies Record<string, ErrorStatus[]>;

/** Every error that an operation can answer with. */
export function errorsOf(operation: TaggedOperation): ErrorStatus[] {
  const { caller = 'account', path, body, errors = [] } = operation;
  const more: ErrorStatus[] = [...(path ? [404 as const] : []), ...(body ? [422 as const] : [])];
  return [...new Set([...ofEverybody, ...ofCallers[caller], ...more, ...errors])].sort();
}

/** The body of an error as the document tells of it. */
export function errorSchema(status: ErrorStatus): z.ZodType {
  const errors = z.record(z.string(), z.array(z.string())).describe('What is wrong with each field.');
  const rest = status === 422 ? { errors } : {};
  const { [status]: type } = errorTypes;
  return z
    .object({ status: z.literal(type), code: z.literal(status), message: z.string(), ...rest })
    .meta({ id: type });
}

const retryAfter = { 'Retry-After': { description: 'In how many seconds to try again.', schema: { type: 'integer' } } };

/** The response component of an error, whose schema is `schema`. */
export const errorResponse = (status: ErrorStatus, schema: object) => ({
  description: meanings[status],
  ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
  content: { 'application/json': { schema } },
});
