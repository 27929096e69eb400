import http from 'node:http';
import https from 'node:https';
import type { StoredRequest } from './delivery-log.js';

export type Forwarded = { status: number | null; error: string | null; ms: number };

const timeoutMs = 30_000;

/**
 * Sends a recorded callback to another URL, with the same body and headers. The callback's query parameters are added
 * to those of the URL. `bearer` replaces the masked token. Resolves with the status, or with the error if no response
 * has arrived, and with the time until then.
 */
export function forward({ url, headers, body }: StoredRequest, to: URL, bearer?: string): Promise<Forwarded> {
  const target = new URL(to);
  for (const [name, value] of new URL(url).searchParams) target.searchParams.append(name, value);
  const sentHeaders = bearer === undefined ? headers : { ...headers, Authorization: `Bearer ${bearer}` };
  const startedAt = performance.now();
  const { request: createRequest } = target.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const finish = (status: number | null, error: string | null) =>
      resolve({ status, error, ms: Math.round(performance.now() - startedAt) });
    const request = createRequest(target, { method: 'POST', headers: sentHeaders, timeout: timeoutMs }, (response) => {
      response.resume();
      finish(response.statusCode ?? null, null);
    });
    request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) => finish(null, error.code ?? error.message));
    request.end(body);
  });
}
