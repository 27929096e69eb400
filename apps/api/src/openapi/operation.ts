import type { z } from 'zod';
import type { Scope } from '@ringback/database';
import type { ErrorCode } from '../http/output/api-error.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The description of one endpoint, for the OpenAPI document and `guardOperations`. Its schemas are the ones that
 * validate the request and type the response, and a test calls the endpoint with its example.
 */
export type Operation = OperationFields & Access;

/**
 * The kind of token that a request needs, `account` when absent. An account's token must have the scope.
 * `sessionCreator` is an access token with any scope, or a platform token.
 */
type Access =
  { callerKind?: 'account'; scope: Scope } | { callerKind: 'platform' | 'sessionCreator' | 'anyone'; scope?: never };

type OperationFields = {
  /** The name of the operation in generated clients, such as `listWebhooks`. */
  id: string;
  /** The method and the path under the base URL, such as `GET /developer/webhooks/{id}`. */
  route: `${Uppercase<Method>} /${string}`;
  summary: string;
  /** More sentences, with code in backticks. */
  description?: string;
  /** The operation has a successor, which its description names. */
  isDeprecated?: true;
  /** The operation is a search: it reads many rows, so an account may run only one at a time. */
  isSearch?: true;
  /**
   * How the operation treats a portal session that is restricted to some webhooks. `filters`: its handler leaves out
   * the others. `unaffected`: its response contains no webhooks. When absent, an operation on the path of a webhook
   * responds with 404 for another webhook, and any other operation with 403.
   */
  forRestrictedSession?: 'filters' | 'unaffected';
  /** The route is at the root of the server instead of under the base URL. */
  atRoot?: true;
  path?: Record<string, z.ZodType>;
  query?: Record<string, z.ZodType>;
  body?: z.ZodType;
  response: EnvelopeResponse | { type: string };
  /**
   * The errors that only this operation has. The document adds those of its kind of caller, 404 if it has a path
   * parameter, and 422 if it has a body.
   */
  errors?: ErrorCode[];
  example: Example;
};

/**
 * `{status, code, message, data}` and `extraFields`. If there are several messages, the example shows the first one.
 */
export type EnvelopeResponse = {
  code?: 200 | 202;
  message: string | [string, ...string[]];
  data: z.ZodType;
  extraFields?: Record<string, z.ZodType>;
};

export const messagesOf = ({ message }: EnvelopeResponse): [string, ...string[]] =>
  typeof message === 'string' ? [message] : message;

/** A successful request and its response. In `extraFields`, `{base_url}` stands for the base URL. */
export type Example = {
  path?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  data?: unknown;
  extraFields?: Record<string, unknown>;
};

export type TaggedOperation = Operation & { tag: string };

/** Adds to each operation the heading under which the document lists it. */
export const tagOperations = (tag: string, operations: Operation[]): TaggedOperation[] =>
  operations.map((operation) => ({ tag, ...operation }));

export function parseRoute({ route }: Operation): { method: Method; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method.toLowerCase() as Method, path };
}
