import { z } from 'zod';
import { readVersion } from '@ringback/runtime';
import { type ErrorStatus, errorTypes } from '../http/api-error.js';
import { errorResponse, errorSchema, errorsOf } from './errors.js';
import { type EnvelopeAnswer, messagesOf, placeOf, type TaggedOperation } from './operation.js';
import { type JsonSchema, openSchemas } from './schemas.js';

const about = `Registers webhooks, to which Ringback posts SMS delivery reports and RCS events.

Calls take an access token of the account as \`Authorization: Bearer\`, else as the query parameter \`access_token\`. A
success is \`{status: "OK", code, message, data}\`, an error \`{status, code, message}\`, with \`errors\` for a 422. A body is
\`application/json\` in UTF-8, or \`application/x-www-form-urlencoded\` with objects as JSON text. A method that a path
does not know is a 405 with \`Allow\`. For clients that cannot send PUT, PATCH or DELETE, a POST with \`_method\` in its
query or body stands for them. Of a repeated parameter the last value counts. A callback of Ringback that is sent to
this API is refused with a 508.

An access token has one or more of the scopes \`read\`, \`write\` and \`replay\`, each of which allows nothing that another
one does. Without the one that an operation needs, the call is refused with a 403 before anything is looked up.`;

const securitySchemes = {
  account: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of the account, with the scope of the operation.',
  },
  accountInQuery: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The same.' },
  platform: { type: 'http', scheme: 'bearer', description: 'A platform token.' },
};
/** The tokens of which one is needed, with the scope that it has to have. */
const securityOf = ({ caller, scope }: TaggedOperation): Record<string, string[]>[] => {
  if (caller === 'anybody') return [];
  return scope === undefined ? [{ platform: [] }] : [{ account: [scope] }, { accountInQuery: [scope] }];
};

const rateLimitHeaders = Object.fromEntries(
  Object.entries({
    'X-RateLimit-Limit': 'Requests a minute.',
    'X-RateLimit-Remaining': 'How many are left.',
    'X-RateLimit-Reset': 'When the minute ends, as Unix time.',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

export type Document = {
  openapi: string;
  info: { title: string; version: string; description: string; [field: string]: unknown };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
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
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
};

/** The OpenAPI 3.1 document of these operations below a base url, which has no slash at its end. */
export function describeApi(operations: TaggedOperation[], baseUrl: string): Document {
  const schemas = openSchemas();
  const paths: Document['paths'] = {};
  for (const operation of operations) {
    const { method, path } = placeOf(operation);
    const item = (paths[path] ??= {});
    item[method] = describeOperation(operation, schemas, baseUrl);
  }
  const statuses = [...new Set(operations.flatMap(errorsOf))];
  const responses = statuses.map((status) => [
    errorTypes[status],
    errorResponse(status, schemas.describe(errorSchema(status), 'output')),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ringback',
      version: readVersion(),
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas: schemas.components, responses: Object.fromEntries(responses), securitySchemes },
  };
}

type Schemas = ReturnType<typeof openSchemas>;

function describeOperation(operation: TaggedOperation, schemas: Schemas, baseUrl: string) {
  const { id, tag, summary, about: description, body } = operation;
  const references = errorsOf(operation).map((status: ErrorStatus): [string, DescribedResponse] => [
    String(status),
    { $ref: `#/components/responses/${errorTypes[status]}` },
  ]);
  const content = body && contentOf(schemas.describe(body, 'input'), operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(operation.atRoot ? { servers: [{ url: new URL(baseUrl).origin }] } : {}),
    security: securityOf(operation),
    parameters: [...parametersOf(operation, 'path', schemas), ...parametersOf(operation, 'query', schemas)],
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: Object.fromEntries([success(operation, schemas, baseUrl), ...references]),
  };
}

/** A form is taken wherever a JSON object of an account is; values that are no texts are JSON in it. */
const contentOf = (schema: JsonSchema, { caller = 'account', example }: TaggedOperation) => ({
  'application/json': { schema, example: example.body },
  ...(caller === 'account' ? { 'application/x-www-form-urlencoded': { schema } } : {}),
});

export type Parameter = ReturnType<typeof parametersOf>[number];

function parametersOf(operation: TaggedOperation, place: 'path' | 'query', schemas: Schemas) {
  return Object.entries(operation[place] ?? {}).map(([name, type]) => {
    const { description, ...schema } = schemas.describe(type, 'input');
    const value = operation.example[place]?.[name];
    return {
      name,
      in: place,
      required: place === 'path',
      ...(typeof description === 'string' ? { description } : {}),
      schema,
      ...(value === undefined ? {} : { example: value }),
    };
  });
}

function success(operation: TaggedOperation, schemas: Schemas, baseUrl: string): [string, DescribedResponse] {
  const { answer, caller = 'account', summary } = operation;
  const headers = caller === 'account' ? { headers: rateLimitHeaders } : {};
  if ('type' in answer) {
    const schema = { type: answer.type === 'application/json' ? 'object' : 'string' };
    return ['200', { description: summary, content: { [answer.type]: { schema } } }];
  }
  const schema = schemas.describe(envelopeOf(answer), 'output');
  const example = exampleOf(operation, answer, baseUrl);
  const description = `${messagesOf(answer).join('; or: ')}.`;
  return [
    String(answer.code ?? 200),
    { description, ...headers, content: { 'application/json': { schema, example } } },
  ];
}

const envelopeOf = (answer: EnvelopeAnswer) => {
  const { code = 200, data, more = {} } = answer;
  return z.object({
    status: z.literal('OK'),
    code: z.literal(code),
    message: z.literal(messagesOf(answer)),
    data,
    ...more,
  });
};

function exampleOf({ example }: TaggedOperation, answer: EnvelopeAnswer, baseUrl: string): unknown {
  const { code = 200 } = answer;
  const [message] = messagesOf(answer);
  const body = { status: 'OK', code, message, data: example.data, ...example.more };
  return JSON.parse(JSON.stringify(body).replaceAll('{base_url}', baseUrl));
}
