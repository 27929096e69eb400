import type { z } from 'zod';
import type { PlatformScope, Scope } from '@ringback/ledger';
import type { ErrorCode } from './response.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * The description of one endpoint, for the OpenAPI document and for the checks before its handler. A test calls the
 * endpoint with the example.
 */
export type Operation = OperationFields & Access;

/**
 * The kind of token that a request needs, `account` when absent. `account` is an access token or the bearer token of a
 * portal session, with the scope. `platform` is a platform token with the scope. `sessionCreator` is an access token
 * with any scope, or a platform token with the scope `portal`. `anyone` needs no token.
 */
type Access =
  | { callerKind?: 'account'; scope: Scope }
  | { callerKind: 'platform'; scope: PlatformScope }
  | { callerKind: 'sessionCreator' | 'anyone'; scope?: never };

type OperationFields = {
  /** The name of the operation in generated clients, such as `listWebhooks`. */
  id: string;
  /** The method and the path under the base URL, such as `GET /developer/webhooks/{id}`. */
  route: `${Uppercase<Method>} /${string}`;
  summary: string;
  /** More sentences, with code in backticks. */
  description?: string;
  /** The operation is a search: it reads many rows, so an account may run only one at a time in an API process. */
  isSearch?: true;
  /**
   * What a portal session that is restricted to some webhooks gets. `filters`: the handler leaves out the other
   * webhooks. `unaffected`: the response has no webhooks. When absent, another webhook in the path is a 404, and a path
   * without a webhook a 403.
   */
  forRestrictedSession?: 'filters' | 'unaffected';
  /** The response has the `ETag` of its webhook. */
  hasEtag?: true;
  /** The route is at the root of the server instead of under the base URL. */
  atRoot?: true;
  path?: Record<string, z.ZodType>;
  query?: Record<string, z.ZodType>;
  /** Request headers, besides `Authorization`. */
  header?: Record<string, z.ZodType>;
  body?: z.ZodType;
  /** The operation also takes newline-delimited JSON, and then responds with it. */
  lines?: { body: z.ZodType; response: z.ZodType; example: { body: unknown[]; response: unknown[] } };
  response: EnvelopeResponse | { type: string };
  /**
   * Further errors of the operation. The document adds those of all operations, those of the kind of caller, 404 if the
   * operation has a path parameter, 412 if it reads `If-Match`, and 422 if it has a body.
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

/** A successful request and its response. In the response, `{base_url}` stands for the base URL. */
type Example = {
  path?: Record<string, string | number>;
  query?: Record<string, string>;
  header?: Record<string, string>;
  body?: unknown;
  data?: unknown;
  extraFields?: Record<string, unknown>;
};

export type TaggedOperation = Operation & { tag: string };

/** Adds to each operation the heading under which the document lists it. */
export const tagOperations = (tag: string, operations: Operation[]): TaggedOperation[] =>
  operations.map((operation) => ({ tag, ...operation }));

export function parseRoute({ route }: Pick<Operation, 'route'>): { method: Method; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method.toLowerCase() as Method, path };
}

/** The ids that the examples of all operations share. */
export const exampleIds = {
  accountId: 'a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
};
