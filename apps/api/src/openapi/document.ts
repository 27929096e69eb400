import { z } from 'zod';
import { defaultNaming, type ProductNames, rename } from '@ringback/rules';
import { type PublicAddress, readVersion } from '@ringback/process';
import { type EnvelopeResponse, messagesOf, parseRoute, type TaggedOperation } from '../http/operation.js';
import { type ErrorCode, errorTypes } from '../http/response.js';
import { callbackSecurity, callbacksTag, describeCallbacks } from './callbacks.js';
import { type JsonSchema, SchemaConverter } from './schemas.js';

const description = `Ringback sends SMS delivery reports and RCS events to webhooks. This API manages the webhooks of an
account.

**Authentication.** Send an access token of the account as \`Authorization: Bearer <token>\`, or else as the query
parameter \`access_token\`. A token has one or more of the scopes \`read\`, \`write\` and \`replay\`; no scope
includes another one. A request whose token lacks the scope of its operation gets a 403. The bearer token of a portal
session counts as an access token of its account until the session ends. A platform token with the scope \`act\` acts for
the account in the header \`X-Account-Id\`.

**Responses.** A success is \`{status: "OK", code, message, data}\`. An error is \`{status, code, message}\`, and a 422
has the messages of each field in \`errors\`. A method that a path does not support gets a 405 with \`Allow\`.

**Requests.** A body is \`application/json\` in UTF-8. \`POST /events\` also takes \`application/x-ndjson\`, all
other operations \`application/x-www-form-urlencoded\` and \`multipart/form-data\` without files. In a form, an
object is JSON text or has nested names, such as \`filter[status]\`.
When a parameter is repeated, its last value counts. A client that cannot send PUT, PATCH or DELETE sends a POST with
the query or body parameter \`_method\`, or with the header \`X-HTTP-Method-Override\`. A callback of Ringback that is
sent to this API gets a 508.`;

const securitySchemes = {
  account: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An access token of the account, or the bearer token of a portal session, with the scope of the operation.',
  },
  accountInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'access_token',
    description: 'The same token, as a query parameter.',
  },
  platform: { type: 'http', scheme: 'bearer', description: 'A platform token, with the scope of the operation.' },
  actingFor: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Account-Id',
    description: 'The id of the account for which a platform token with the scope `act` acts.',
  },
  callback: callbackSecurity,
};
/** The security requirements of an operation. A request needs one of these tokens, with the scope if there is one. */
const securityOf = ({ callerKind, scope }: TaggedOperation): Record<string, string[]>[] => {
  if (callerKind === 'sessionCreator') return [{ platform: ['portal'] }, { account: [] }, { accountInQuery: [] }];
  if (scope === undefined) return [];
  if (callerKind === 'platform') return [{ platform: [scope] }];
  return [{ account: [scope] }, { accountInQuery: [scope] }, { platform: ['act'], actingFor: [] }];
};

const rateLimitHeaders = Object.fromEntries(
  Object.entries({
    'X-RateLimit-Limit': 'Requests allowed per minute.',
    'X-RateLimit-Remaining': 'Requests left in this minute.',
    'X-RateLimit-Reset': 'The end of the minute, as Unix time.',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

const etagHeader = {
  ETag: { description: 'The version of the webhook, for `If-Match` of its next change.', schema: { type: 'string' } },
};

const notModified: [string, DescribedResponse] = ['304', { description: '`If-None-Match` has the `ETag`.' }];

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string; [field: string]: unknown };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: ReturnType<typeof describeCallbacks>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, DescribedResponse>;
    [kind: string]: object;
  };
};
export type DescribedOperation = ReturnType<typeof describeOperation>;
export type DescribedResponse = {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
};

/**
 * Builds the OpenAPI 3.1 document of the operations, under the operator's names.
 */
export function buildOpenApiDocument(
  operations: TaggedOperation[],
  address: PublicAddress,
  names: ProductNames = defaultNaming,
): OpenApiDocument {
  // A name has no character that JSON escapes.
  return JSON.parse(rename(JSON.stringify(describeApi(operations, address)), names));
}

function describeApi(operations: TaggedOperation[], address: PublicAddress): OpenApiDocument {
  const schemas = new SchemaConverter();
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const { method, path } = parseRoute(operation);
    const pathItem = (paths[path] ??= {});
    pathItem[method] = describeOperation(operation, schemas, address);
  }
  const statuses = [...new Set(operations.flatMap(listErrors))];
  const responses = statuses.map((status) => [
    errorTypes[status],
    errorResponse(status, schemas.describe(errorSchema(status), 'output')),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ringback',
      version: readVersion(),
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address.baseUrl }],
    tags: [...new Set([...operations.map(({ tag }) => tag), callbacksTag])].map((name) => ({ name })),
    paths,
    webhooks: describeCallbacks(schemas),
    components: { schemas: schemas.components, responses: Object.fromEntries(responses), securitySchemes },
  };
}

function describeOperation(operation: TaggedOperation, schemas: SchemaConverter, address: PublicAddress) {
  const { id, tag, summary, scope, description, body } = operation;
  const errorResponses = listErrors(operation).map((status: ErrorCode): [string, DescribedResponse] => [
    String(status),
    { $ref: `#/components/responses/${errorTypes[status]}` },
  ]);
  const content = body && contentOf(schemas.describe(body, 'input'), operation, schemas);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...descriptionFields(scope, description),
    ...(operation.atRoot ? { servers: [{ url: address.publicUrl }] } : {}),
    security: securityOf(operation),
    parameters: (['path', 'query', 'header'] as const).flatMap((location) =>
      parametersOf(operation, location, schemas),
    ),
    // An absent body counts as `{}`.
    ...(content === undefined ? {} : { requestBody: { required: !body?.safeParse({}).success, content } }),
    responses: Object.fromEntries([
      successResponse(operation, schemas, address.baseUrl),
      ...(operation.hasEtag && operation.route.startsWith('GET') ? [notModified] : []),
      ...errorResponses,
    ]),
  };
}

/** Swagger UI does not show the scopes of security requirements, so the description names them. */
function descriptionFields(scope: string | undefined, text: string | undefined): { description?: string } {
  const parts = [...(text === undefined ? [] : [text]), ...(scope === undefined ? [] : [`Scope: \`${scope}\`.`])];
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

/**
 * The content of a request body. Forms, which most operations accept too, are only in the description of the document:
 * of two types with the same schema, some generated clients send both.
 */
const contentOf = (schema: JsonSchema, { example, lines }: TaggedOperation, schemas: SchemaConverter) => ({
  'application/json': { schema, example: example.body },
  ...(lines ? linesContent(schemas.describe(lines.body, 'input'), lines.example.body) : {}),
});

/** Newline-delimited JSON. OpenAPI 3.1 has no schema for it, so the description of the text has that of a line. */
const linesContent = (lineSchema: JsonSchema, example: unknown[]) => ({
  'application/x-ndjson': {
    schema: { type: 'string', contentMediaType: 'application/json', contentSchema: lineSchema },
    example: example.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
});

export type Parameter = ReturnType<typeof parametersOf>[number];

function parametersOf(operation: TaggedOperation, location: 'path' | 'query' | 'header', schemas: SchemaConverter) {
  return Object.entries(operation[location] ?? {}).map(([name, type]) => {
    const { description, ...schema } = schemas.describe(type, 'input');
    const value = operation.example[location]?.[name];
    return {
      name,
      in: location,
      required: location === 'path',
      ...(typeof description === 'string' ? { description } : {}),
      // Commas separate the values of a list.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema,
      ...(value === undefined ? {} : { example: value }),
    };
  });
}

function successResponse(
  operation: TaggedOperation,
  schemas: SchemaConverter,
  baseUrl: string,
): [string, DescribedResponse] {
  const { response, callerKind = 'account', summary } = operation;
  const etag = operation.hasEtag ? etagHeader : {};
  const headers = { ...requestId, ...(callerKind === 'account' ? { ...rateLimitHeaders, ...etag } : {}) };
  if ('type' in response) {
    const schema = { type: response.type === 'application/json' ? 'object' : 'string' };
    return ['200', { description: summary, content: { [response.type]: { schema } } }];
  }
  const schema = schemas.describe(envelopeOf(response).meta({ id: responseName(operation) }), 'output');
  const example = exampleOf(operation, response, baseUrl);
  const description = messagesOf(response).join('; or: ').replace(/\.?$/, '.');
  return [
    String(response.code ?? 200),
    {
      description,
      headers,
      content: { 'application/json': { schema, example }, ...linesResponse(operation, schemas) },
    },
  ];
}

const linesResponse = ({ lines }: TaggedOperation, schemas: SchemaConverter) =>
  lines ? linesContent(schemas.describe(lines.response, 'output'), lines.example.response) : {};

/** The name of a response's schema, such as `ListWebhooksResponse`. */
const responseName = ({ id }: TaggedOperation) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Response`;

const envelopeOf = ({ data, extraFields = {} }: EnvelopeResponse) =>
  z.object({ status: z.literal('OK'), code: httpStatus, message: z.string(), data, ...extraFields });
const httpStatus = z.int32().describe('The HTTP status.');

function exampleOf({ example }: TaggedOperation, response: EnvelopeResponse, baseUrl: string): unknown {
  const { code = 200 } = response;
  const [message] = messagesOf(response);
  const body = { status: 'OK', code, message, data: example.data, ...example.extraFields };
  return JSON.parse(JSON.stringify(body).replaceAll('{base_url}', baseUrl));
}

const errorMeanings: Record<ErrorCode, string> = {
  400: 'The request is malformed.',
  401: 'The token is missing, unknown, revoked, or of the wrong kind, or the portal session has ended.',
  403:
    'The token lacks the scope of the operation, the portal session is restricted to some webhooks, or the account ' +
    'is suspended.',
  404: 'The resource or the account of `X-Account-Id` does not exist, or the resource belongs to another account.',
  405: 'The path does not support the method, or that of `_method` or `X-HTTP-Method-Override`.',
  409: 'The current state does not allow the operation.',
  410: 'Rows after the cursor are no longer kept.',
  412: '`If-Match` has none of the current `ETag` of the webhook. Nothing was changed.',
  413: 'The body is too large.',
  415: 'The content type of the body is not supported.',
  422: 'The input is not valid; `errors` lists the errors of each field.',
  429:
    'There are too many requests per minute with the token or portal session, or too many concurrent requests, ' +
    'searches or test calls of the account, or too many readers of outcomes. `Retry-After` says when to try again.',
  500: 'An internal error.',
  503:
    'The database or the queue engine is unavailable, a query took longer than 2 s, or no worker completed a test ' +
    'call in time.',
  508: 'The request is a callback of Ringback: a webhook points to this API.',
};

const commonErrors: ErrorCode[] = [400, 405, 500, 508];
const callerErrors = {
  account: [401, 403, 404, 413, 415, 429, 503],
  platform: [401, 403, 413, 415, 503],
  sessionCreator: [401, 403, 413, 415, 429, 503],
  anyone: [],
} satisfies Record<string, ErrorCode[]>;

/** The statuses of the errors with which an operation can respond, except 408 and 431 (`server.ts`). */
function listErrors(operation: TaggedOperation): ErrorCode[] {
  const { callerKind = 'account', path, body, header, errors = [] } = operation;
  const inputErrors: ErrorCode[] = [...(path ? [404 as const] : []), ...(body ? [422 as const] : [])];
  if (header && 'If-Match' in header) inputErrors.push(412);
  return [...new Set([...commonErrors, ...callerErrors[callerKind], ...inputErrors, ...errors])].sort();
}

function errorSchema(status: ErrorCode): z.ZodType {
  const errors = z.record(z.string(), z.array(z.string())).describe('The error messages of each field.');
  const returnUrl = z
    .string()
    .optional()
    .describe('The `return_url` of the portal session that has ended; present when the session has one.');
  const extraFields: Record<string, z.ZodType> =
    status === 422 ? { errors } : status === 401 ? { return_url: returnUrl } : {};
  const { [status]: type } = errorTypes;
  return z
    .object({ status: z.literal(type), code: httpStatus, message: z.string(), ...extraFields })
    .meta({ id: type });
}

const requestId = {
  'X-Request-Id': {
    description: 'The id of the request, also in the log of the server: that of the request header, or a new one.',
    schema: { type: 'string' },
  },
};

const processed = {
  'X-Request-Processed': {
    description: 'Present if the request certainly was not processed.',
    schema: { type: 'string', const: 'no' },
  },
};

const retryAfter = {
  'Retry-After': { description: 'The number of seconds after which to try again.', schema: { type: 'integer' } },
};

const allow = { Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } } };

/** The response with an error of this status, for `components.responses`. */
const errorResponse = (status: ErrorCode, schema: object) => ({
  description: errorMeanings[status],
  headers: {
    ...requestId,
    ...(status === 429 || status === 503 ? retryAfter : {}),
    ...(status === 503 ? processed : {}),
    ...(status === 405 ? allow : {}),
  },
  content: { 'application/json': { schema } },
});
