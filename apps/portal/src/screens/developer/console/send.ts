import type { Api } from '../../../data/api.js';
import { OfflineFailure } from '../../../data/api-failure.js';
import type { Operation, Parameter } from '../api-document.js';

/** The parameters and the body that the user entered. */
export type RequestDraft = { values: Record<string, string>; body: string };

export type ApiResponse = { status: number; statusText: string; headers: string; body: string; ms: number };

/** The path with its parameters, and the query. Empty query parameters are left out. */
export function pathWithQuery({ path, parameters }: Operation, { values }: RequestDraft): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values[name]?.trim() ?? '')), path);
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: location }) => {
      const value = values[name]?.trim() ?? '';
      return location === 'query' && value !== '' ? [[name, value]] : [];
    }),
  ).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

/** The headers of the request: those that the user entered, and the type of the body. */
function headersOf({ parameters, body }: Operation, { values }: RequestDraft): [string, string][] {
  const entered = parameters.flatMap(({ name, in: location }): [string, string][] => {
    const value = values[name]?.trim() ?? '';
    return location === 'header' && value !== '' ? [[name, value]] : [];
  });
  return body === undefined ? entered : [...entered, ['Content-Type', 'application/json']];
}

/** The required parameters that are empty. */
export const missingParameters = ({ parameters }: Operation, { values }: RequestDraft): Parameter[] =>
  parameters.filter(({ name, required }) => required && (values[name] ?? '').trim() === '');

/**
 * Sends the request with the session's bearer token. Resolves with a response of any status. Rejects if there is none.
 */
export async function send(api: Api, operation: Operation, draft: RequestDraft): Promise<ApiResponse> {
  let result: Promise<ApiResponse> | undefined;
  const start = performance.now();
  const fetchAndKeep = async (request: Request) => {
    const response = await fetch(request).catch(() => {
      throw new OfflineFailure();
    });
    result = toApiResponse(response.clone(), performance.now() - start);
    return response;
  };
  // The client accepts only the paths of the document as types, and this path contains the user's input.
  await api.request(
    operation.method.toLowerCase() as 'get',
    pathWithQuery(operation, draft) as never,
    {
      fetch: fetchAndKeep,
      ...(operation.body === undefined
        ? {}
        : {
            body: draft.body,
            bodySerializer: (body: string) => body,
          }),
      headers: Object.fromEntries(headersOf(operation, draft)),
      parseAs: 'text',
    } as never,
  );
  if (!result) throw new OfflineFailure();
  return result;
}

async function toApiResponse(response: Response, ms: number): Promise<ApiResponse> {
  const { status, statusText } = response;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status, statusText, headers, body: await response.text(), ms };
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a curl command. It has no token: the session's bearer token stays in the page. */
export function toCurl(baseUrl: string, operation: Operation, draft: RequestDraft): string {
  const parts = [
    `curl -X ${operation.method} ${quote(baseUrl + pathWithQuery(operation, draft))}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...headersOf(operation, draft).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(operation.body === undefined ? [] : [`-d ${quote(draft.body)}`]),
  ];
  return parts.join(' \\\n  ');
}
