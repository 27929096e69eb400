import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiPathOf, pathOf, type PublicAddress } from '@ringback/process';
import { operations } from '../operations.js';
import {
  buildOpenApiDocument,
  type DescribedOperation,
  type DescribedResponse,
  type OpenApiDocument,
} from './document.js';
import { parseRoute } from '../http/operation.js';
import { type JsonSchema, SchemaConverter } from './schemas.js';

type DescribedPath = { pattern: RegExp; methods: Record<string, DescribedOperation> };

/**
 * Compares every response of an app with the OpenAPI document: its status, type and JSON body. It also compares the
 * JSON body of each successful request with its schema. Differences are added to `violations`.
 */
export function watchContract(app: RequestListener, address: PublicAddress) {
  const { document, describedPaths, validate, validateBody } = contractOf(address);
  const violations: string[] = [];

  const check = (path: string, request: IncomingMessage, response: ServerResponse, text: string) => {
    const method = request.method === 'HEAD' ? 'get' : (request.method ?? '').toLowerCase();
    const operation = describedPaths.find(({ pattern }) => pattern.test(path))?.methods[method];
    const status = response.statusCode;
    const report = (difference: string) =>
      void violations.push(`${request.method} ${path} responded with ${status}: ${difference}\n${text.slice(0, 500)}`);
    // A request that matches no operation gets an error, a 204 for OPTIONS, or a file of a page.
    if (!operation)
      return status >= 300 || status === 204 || /^(\/.*)?\/(docs\/|portal(\/|$))/.test(path)
        ? undefined
        : report('no such operation in the document');
    const { responses, requestBody } = operation;
    const described = resolve(document, responses[String(status)]);
    if (!described) return report('no such status in the document');
    if (status === 304) return;
    const type = String(response.getHeader('content-type') ?? '').split(';', 1)[0] ?? '';
    const content = described.content?.[type];
    if (!content) return report(`the document does not have the type ${type}`);
    if (request.method !== 'HEAD' && type === 'application/json') {
      const errors = validate(content.schema, JSON.parse(text));
      if (errors) report(`the body differs from the document: ${errors}`);
    }
    if (type === 'application/x-ndjson') {
      for (const line of text.trimEnd().split('\n')) {
        const errors = validate(Object(content.schema).contentSchema, JSON.parse(line));
        if (errors) report(`a line of the body differs from the document: ${errors}`);
      }
      return;
    }
    const isForm = /^(application\/x-www-form-urlencoded|multipart\/)/.test(request.headers['content-type'] ?? '');
    if (status >= 300 || !requestBody || isForm) return;
    const body: unknown = Reflect.get(request, 'body');
    if (body === undefined && !requestBody.required) return;
    // Some routes read the text themselves.
    const acceptedBody: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    const errors = validateBody(operation.operationId, acceptedBody);
    if (errors) report(`it accepted a body that the schema refuses: ${errors}`);
  };

  const listener: RequestListener = (request, response) => {
    // Express changes `request.url` while it routes the request.
    const path = (request.url ?? '').replace(/^https?:\/\/[^/]*|\?.*$/g, '');
    const parts: Buffer[] = [];
    for (const method of ['write', 'end'] as const) {
      const original = response[method].bind(response);
      Reflect.set(response, method, (part: unknown, ...more: unknown[]) => {
        if (typeof part === 'string' || Buffer.isBuffer(part)) parts.push(Buffer.from(part));
        return Reflect.apply(original, response, [part, ...more]);
      });
    }
    response.on('finish', () => check(path, request, response, Buffer.concat(parts).toString()));
    app(request, response);
  };
  return { listener, violations };
}

type Contract = {
  document: OpenApiDocument;
  describedPaths: DescribedPath[];
  validate: ReturnType<typeof createValidator>;
  /** The errors of a body that an operation accepted, without those of fields that accept more than is documented. */
  validateBody: (operationId: string, value: unknown) => string | undefined;
};
const contracts = new Map<string, Contract>();

/** The contract of all apps with this address. Most test files start several, and compiling its schemas takes long. */
function contractOf(address: PublicAddress): Contract {
  const { baseUrl } = address;
  const known = contracts.get(baseUrl);
  if (known) return known;
  const document = buildOpenApiDocument(operations, address);
  const describedPaths = describedPathsOf(document, address);
  const contract = {
    document,
    describedPaths,
    validate: createValidator(closed(document)),
    validateBody: createBodyValidator(),
  };
  contracts.set(baseUrl, contract);
  return contract;
}

/**
 * The document with objects that have only the fields it names. In the real one, returned objects may have further
 * fields, but only because a later version may add some: this version documents all of its own.
 */
function closed(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document, (_key, value: unknown) => {
    const { properties, additionalProperties } = Object(value);
    return properties && additionalProperties === true ? { ...Object(value), additionalProperties: false } : value;
  });
  return JSON.parse(text);
}

function createBodyValidator(): Contract['validateBody'] {
  const schemas = new SchemaConverter(true);
  const bodies = new Map(
    operations.flatMap(({ id, body }) => (body ? [[id, schemas.describe(body, 'input')] as const] : [])),
  );
  const validate = createValidator({ components: { schemas: schemas.components, responses: {} } });
  return (operationId, value) => validate(bodies.get(operationId) ?? {}, value);
}

function describedPathsOf(document: OpenApiDocument, address: PublicAddress): DescribedPath[] {
  // A proxy may remove this path.
  const prefix = `(${pathOf(address.publicUrl)})?`;
  const pathsAtRoot = new Set(operations.filter(({ atRoot }) => atRoot).map((operation) => parseRoute(operation).path));
  const countParameters = (path: string) => path.split('{').length - 1;
  // A path without parameters comes before a path whose parameter could match the same text.
  const paths = Object.entries(document.paths).sort(([a], [b]) => countParameters(a) - countParameters(b));
  return paths.map(([path, methods]) => {
    const literal = (pathsAtRoot.has(path) ? path : `${apiPathOf(address)}${path}`).replace(
      /[.*+?^$()|[\]\\]/g,
      '\\$&',
    );
    const pattern = new RegExp(`^${prefix}${literal.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i');
    return { pattern, methods };
  });
}

function resolve(
  { components }: OpenApiDocument,
  response: DescribedResponse | undefined,
): DescribedResponse | undefined {
  return response?.$ref === undefined ? response : components.responses[response.$ref.split('/').at(-1) ?? ''];
}

/** Creates a validator, which returns the errors of a value, or undefined if it is valid. */
export function createValidator({ components }: Pick<OpenApiDocument, 'components'>) {
  // document.test.ts checks the schemas themselves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  const compiled = new Map<JsonSchema, ValidateFunction>();
  return (schema: JsonSchema, value: unknown): string | undefined => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}
