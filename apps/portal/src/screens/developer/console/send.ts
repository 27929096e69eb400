import type { Api } from '../../../data/api.js';
import type { Operation, Parameter } from '../api-document.js';

/** What the user filled in. */
export type Draft = { values: Record<string, string>; body: string };

export type Answer = { status: number; statusText: string; headers: string; body: string; ms: number };

/** The path with its parameters filled in, and the query. Empty query parameters are left out. */
export function pathWithQuery({ path, parameters }: Operation, { values }: Draft): string {
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

/** The parameters of the path that are empty. */
export const missingOf = ({ parameters }: Operation, { values }: Draft): Parameter[] =>
  parameters.filter(({ name, required }) => required && (values[name] ?? '').trim() === '');

/** Sends the request with the session's bearer token. Resolves with any response; rejects without one. */
export async function send(api: Api, operation: Operation, draft: Draft): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  const start = performance.now();
  const fetchAndKeep = async (request: Request) => {
    const response = await fetch(request);
    answer = toAnswer(response.clone(), performance.now() - start);
    return response;
  };
  // The client types the paths of the document; this one is made of what the user typed.
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
            headers: { 'Content-Type': 'application/json' },
          }),
      parseAs: 'text',
    } as never,
  );
  if (!answer) throw new Error('There was no answer.');
  return answer;
}

async function toAnswer(response: Response, ms: number): Promise<Answer> {
  const { status, statusText } = response;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status, statusText, headers, body: await response.text(), ms };
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same request for a shell. It has no token: the bearer of the session stays in the page. */
export function toCurl(baseUrl: string, operation: Operation, draft: Draft): string {
  const parts = [
    `curl -X ${operation.method} ${quote(baseUrl + pathWithQuery(operation, draft))}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(operation.body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(draft.body)}`]),
  ];
  return parts.join(' \\\n  ');
}
