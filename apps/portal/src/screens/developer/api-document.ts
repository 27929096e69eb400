import { queryOptions } from '@tanstack/react-query';
import { type Api, unwrap } from '../../data/api.js';
import { ApiFailure } from '../../data/api-failure.js';
import { isRecord } from '../../data/is-record.js';

/** A path, query or header parameter of an operation. */
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  example?: unknown;
};

/** An operation under `/developer/` that the OpenAPI document allows to access tokens. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  tag: string;
  description?: string;
  scope: string | undefined;
  parameters: Parameter[];
  /** An example of the body as JSON text; undefined without a body. */
  body: string | undefined;
};

export type ApiDocument = { baseUrl: string; operations: Operation[] };

/**
 * The parts of the OpenAPI document that the portal uses. The same service generates it, so it is not parsed further.
 */
type DocumentOperation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
type Document = { servers: { url: string }[]; paths: Record<string, Record<string, DocumentOperation>> };

const isDocument = (value: unknown): value is Document =>
  isRecord(value) && isRecord(value.paths) && Array.isArray(value.servers);

/** Query for the base URL and the operations of the API, from its OpenAPI document. */
export const apiDocumentQuery = (api: Api) =>
  queryOptions({
    queryKey: ['openapi'],
    queryFn: async ({ signal }): Promise<ApiDocument> => {
      const document: unknown = await unwrap(api.GET('/openapi.json', { signal }));
      if (!isDocument(document)) throw new ApiFailure(200, { message: 'The OpenAPI document is invalid.' });
      return { baseUrl: document.servers[0]?.url ?? '', operations: operationsOf(document) };
    },
    staleTime: Infinity,
  });

const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => path.startsWith('/developer/') && security.some((scheme) => 'account' in scheme))
      .map(([method, operation]) => toOperation(path, method, operation)),
  );

function toOperation(path: string, method: string, operation: DocumentOperation): Operation {
  const { operationId: id, summary, description, tags, security, parameters, requestBody } = operation;
  const example = requestBody?.content['application/json']?.example;
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    tag: tags[0] ?? 'Others',
    scope: security.find((scheme) => 'account' in scheme)?.account?.[0],
    parameters,
    body: requestBody === undefined ? undefined : JSON.stringify(example ?? {}, null, 2),
    ...(description === undefined ? {} : { description }),
  };
}
