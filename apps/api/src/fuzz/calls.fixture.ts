import fc from 'fast-check';
import { addressOfBaseUrl } from '@ringback/process';
import { baseUrl } from '../api.fixture.js';
import { changed, createValueGenerator } from './from-schema.fixture.js';
import { hostileKey, hostileParameter, hostileSegment, hostileValue, rawText } from './hostile.fixture.js';
import { buildOpenApiDocument, type Parameter } from '../openapi/document.js';
import { parseRoute, type TaggedOperation } from '../http/operation.js';
import type { JsonSchema } from '../openapi/schemas.js';
import { operations } from '../operations.js';

/** A request to the API. Its path and query are percent-encoded. */
export type Call = {
  method: string;
  path: string;
  query: string;
  body: string | undefined;
  type: string;
  encoding: string;
  token: 'valid' | 'none' | 'wrong';
  caller: TaggedOperation['callerKind'];
};

export const document = buildOpenApiDocument(operations, addressOfBaseUrl(baseUrl));
const valuesOf = createValueGenerator(document.components.schemas, hostileValue);
export const isFuzzed = ({ atRoot, response }: TaggedOperation) => !atRoot && 'message' in response;

const parameters = Object.values(document.paths).flatMap((item) =>
  Object.values(item).flatMap((operation) => operation.parameters),
);
const namesInQueries = [...new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name))];
const knownIds = [
  ...new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ example }) => String(example))),
];

/** The names of all fields in a schema and in the schemas that it references. */
function fieldsOf(schema: JsonSchema): string[] {
  const names: string[] = [];
  JSON.stringify(schema, (word, value: unknown) => {
    if (word === 'properties') names.push(...Object.keys(Object(value)));
    if (word === '$ref')
      names.push(...fieldsOf(document.components.schemas[String(value).split('/').at(-1) ?? ''] ?? {}));
    return value;
  });
  return names;
}

const requestPartsOf = (operation: TaggedOperation) => {
  const { method, path } = parseRoute(operation);
  const described = document.paths[path]?.[method];
  if (!described) throw new Error(`${operation.route} is not in the document`);
  const { parameters: all, requestBody } = described;
  const inPath = all.filter((parameter) => parameter.in === 'path');
  const inQuery = all.filter((parameter) => parameter.in === 'query');
  return { method: method.toUpperCase(), path, inPath, inQuery, content: requestBody?.content['application/json'] };
};

const inUrl = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

/** The schema of an operation's body, and values that fit or nearly fit. Undefined if the operation takes no body. */
export function bodyOf(operation: TaggedOperation) {
  const { content } = requestPartsOf(operation);
  if (!content) return undefined;
  const values = valuesOf(content.schema, content.example);
  const keys = fc.oneof({ arbitrary: fc.constantFrom(...fieldsOf(content.schema)), weight: 4 }, hostileKey);
  return { schema: content.schema, values, near: changed(values, keys, hostileValue) };
}

/** Valid requests for an operation: the example's path, with a query and a body that fit the schemas. */
export function validCallOf(operation: TaggedOperation): fc.Arbitrary<Call> {
  const { method, path, inPath, inQuery } = requestPartsOf(operation);
  const { values = fc.constant(undefined) } = bodyOf(operation) ?? {};
  const { callerKind: caller } = operation;
  const base = { type: 'application/json', encoding: 'identity', token: 'valid', caller } as const;
  const filled = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, inUrl(example)), path);
  const text = values.map((value) => (value === undefined ? undefined : JSON.stringify(value)));
  return fc
    .record({ query: validQuery(inQuery), body: text })
    .map((generated) => ({ ...base, method, path: filled, ...generated }));
}

/** Requests that are valid except that the body only nearly fits. */
function nearCallOf(operation: TaggedOperation): fc.Arbitrary<Call> {
  const text = (bodyOf(operation)?.near ?? hostileValue).map((value) => JSON.stringify(value));
  return fc.tuple(validCallOf(operation), text).map(([call, body]) => ({ ...call, query: '', body }));
}

const parameterOf = ({ name, schema, example }: Parameter) =>
  valuesOf(schema, example).map((value) => `${inUrl(name)}=${inUrl(value)}`);

const validQuery = (inQuery: Parameter[]) =>
  inQuery.length === 0
    ? fc.constant('')
    : fc.array(fc.oneof(...inQuery.map(parameterOf)), { maxLength: 2 }).map((parts) => parts.join('&'));

/** Arbitrary requests for an operation: valid, almost valid and hostile ones. */
export function anyCallOf(operation: TaggedOperation): fc.Arbitrary<Call> {
  const { method } = requestPartsOf(operation);
  const call: fc.Arbitrary<Call> = fc.record({
    method: fc.oneof({ arbitrary: fc.constant(method), weight: 4 }, anyMethod),
    path: anyPathOf(operation),
    query: anyQueryOf(operation),
    body: fc.option(anyBodyOf(operation), { nil: undefined }),
    type: fc.oneof(
      { arbitrary: fc.constant('application/json'), weight: 8 },
      fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/json; charset=x', 'json', ''),
    ),
    encoding: fc.oneof({ arbitrary: fc.constant('identity'), weight: 9 }, fc.constantFrom('gzip', 'br', 'x')),
    token: fc.oneof({ arbitrary: fc.constant('valid' as const), weight: 9 }, fc.constantFrom('none', 'wrong')),
    caller: fc.constant(operation.callerKind),
  });
  return operation.body ? fc.oneof(call, { arbitrary: nearCallOf(operation), weight: 2 }) : call;
}

const anyMethod = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'TRACE');

function anyPathOf(operation: TaggedOperation): fc.Arbitrary<string> {
  const { path, inPath } = requestPartsOf(operation);
  const segments = path.split('/').map((segment) => {
    const parameter = inPath.find(({ name }) => segment === `{${name}}`);
    if (!parameter) return fc.constant(segment);
    const known = { arbitrary: fc.constant(inUrl(parameter.example)), weight: 6 };
    const unknown = fc.oneof(fc.constantFrom(...knownIds), valuesOf(parameter.schema)).map(inUrl);
    return fc.oneof(known, unknown, hostileSegment);
  });
  const addedSegments = fc.oneof(
    { arbitrary: fc.constant([]), weight: 8 },
    fc.array(hostileSegment, { minLength: 1, maxLength: 2 }),
  );
  const removedCount = fc.oneof({ arbitrary: fc.constant(0), weight: 12 }, fc.constantFrom(1, 2));
  return fc
    .tuple(fc.tuple(...segments), removedCount, addedSegments)
    .map(([parts, removed, added]) => [...parts.slice(0, parts.length - removed), ...added].join('/'));
}

const anyQueryOf = (operation: TaggedOperation) =>
  fc
    .tuple(validQuery(requestPartsOf(operation).inQuery), fc.array(hostileParameter(namesInQueries), { maxLength: 2 }))
    .map(([valid, hostile]) => [...(valid === '' ? [] : [valid]), ...hostile].join('&').slice(0, 6_000));

const allBodies = operations.filter(isFuzzed).flatMap((operation) => bodyOf(operation) ?? []);

/** Arbitrary bodies. An operation that takes no body gets the bodies of others. */
function anyBodyOf(operation: TaggedOperation): fc.Arbitrary<string> {
  const bodyOfAnother = fc.constantFrom(...allBodies);
  const { values, near } = bodyOf(operation) ?? {
    values: bodyOfAnother.chain((body) => body.values),
    near: bodyOfAnother.chain((body) => body.near),
  };
  const texts = fc
    .oneof(values, { arbitrary: near, weight: 3 }, fc.array(near, { maxLength: 3 }), hostileValue)
    .map((value) => JSON.stringify(value));
  return fc.oneof({ arbitrary: texts, weight: 4 }, rawText(texts));
}
