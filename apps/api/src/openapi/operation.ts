import type { z } from 'zod';
import type { Scope } from '@ringback/database';
import type { ErrorStatus } from '../http/api-error.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The description of one endpoint, for the OpenAPI document. Its schemas are the ones that validate the request and type the
 * response, and a test calls the endpoint with its example.
 */
export type Operation = OperationFields & Caller;

/** The kind of token that a call needs, `account` when absent. An account's token must have the scope. */
type Caller = { caller?: 'account'; scope: Scope } | { caller: 'platform' | 'anyone'; scope?: never };

type OperationFields = {
  /** The name of the call in generated clients: `listWebhooks`. */
  id: string;
  /** `GET /developer/webhooks/{id}`, below the path of the base URL. */
  route: `${Uppercase<Method>} /${string}`;
  summary: string;
  /** Further sentences, with code in backticks. */
  description?: string;
  /** The call reads many rows, so that an account may run one at a time. */
  search?: true;
  /** The route is at the root of the server instead of below the base URL. */
  atRoot?: true;
  path?: Record<string, z.ZodType>;
  query?: Record<string, z.ZodType>;
  body?: z.ZodType;
  response: EnvelopeResponse | { type: string };
  /**
   * Errors of this operation. The errors of its kind of caller are added to them, 404 when it has a path parameter, and 422
   * when it has a body.
   */
  errors?: ErrorStatus[];
  example: Example;
};

/** `{status, code, message, data}` and `extraFields`. Of several messages, the example has the first. */
export type EnvelopeResponse = {
  code?: 200 | 202;
  message: string | [string, ...string[]];
  data: z.ZodType;
  extraFields?: Record<string, z.ZodType>;
};

export const messagesOf = ({ message }: EnvelopeResponse): [string, ...string[]] =>
  typeof message === 'string' ? [message] : message;

/** A successful call and its response. In `extraFields`, `{base_url}` stands for the base URL. */
export type Example = {
  path?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  data?: unknown;
  extraFields?: Record<string, unknown>;
};

export type TaggedOperation = Operation & { tag: string };

/** Adds the heading under which the document lists the operations. */
export const tagOperations = (tag: string, operations: Operation[]): TaggedOperation[] =>
  operations.map((operation) => ({ tag, ...operation }));

export function parseRoute({ route }: Operation): { method: Method; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method.toLowerCase() as Method, path };
}
