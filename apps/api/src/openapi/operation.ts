import type { z } from 'zod';
import type { Scope } from '@ringback/database';
import type { ErrorStatus } from '../http/api-error.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * One endpoint, as the document tells of it. Its schemas are those that its router reads with and its resources are
 * typed by, and its example is made in a test as it stands here.
 */
export type Operation = Described & Caller;

/** Whose token it takes, an account's when absent; and, then, the scope that this has to have. */
type Caller = { caller?: 'account'; scope: Scope } | { caller: 'platform' | 'anybody'; scope?: never };

type Described = {
  /** The name of the call in clients: `listWebhooks`. */
  id: string;
  /** `GET /developer/webhooks/{id}`, below the path of the base url. */
  at: `${Uppercase<Method>} /${string}`;
  summary: string;
  /** What else is worth knowing, in plain sentences with `code` in backticks. */
  about?: string;
  /** It reads many rows, so an account has only few of them under way at once. */
  search?: true;
  /** It is at the root of the server and not below the base url. */
  atRoot?: true;
  path?: Record<string, z.ZodType>;
  query?: Record<string, z.ZodType>;
  body?: z.ZodType;
  answer: EnvelopeAnswer | { type: string };
  /**
   * Errors of its own. Those that all calls of such a caller have are added, and so are 404 where there is a path
   * parameter and 422 where there is a body.
   */
  errors?: ErrorStatus[];
  example: Example;
};

/**
 * `{status, code, message, data}`, with more fields beside them where `more` has any. Of several messages, the example
 * has the first.
 */
export type EnvelopeAnswer = {
  code?: 200 | 202;
  message: string | [string, ...string[]];
  data: z.ZodType;
  more?: Record<string, z.ZodType>;
};

export const messagesOf = ({ message }: EnvelopeAnswer): [string, ...string[]] =>
  typeof message === 'string' ? [message] : message;

/** A call that works, and what comes back. In `more`, `{base_url}` stands for the base url. */
export type Example = {
  path?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  data?: unknown;
  more?: Record<string, unknown>;
};

export type TaggedOperation = Operation & { tag: string };

/** Operations under the heading that they have in the document. */
export const under = (tag: string, operations: Operation[]): TaggedOperation[] =>
  operations.map((operation) => ({ tag, ...operation }));

export function placeOf({ at }: Operation): { method: Method; path: string } {
  const [method = '', path = ''] = at.split(' ');
  return { method: method.toLowerCase() as Method, path };
}
