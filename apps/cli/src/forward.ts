import http from 'node:http';
import https from 'node:https';
import type { SentCallback } from './delivery-log.js';

export type Forwarded = { status: number | null; error: string | null; ms: number };

const timeoutMs = 30_000;

/**
 * Sends a callback to another address as it was: the same body and headers, and the query of its own address beside
 * that of the other one. A bearer takes the place of the masked one. What goes wrong is a value.
 */
export function forward({ url, headers, body }: SentCallback, to: URL, bearer?: string): Promise<Forwarded> {
  const target = new URL(to);
  for (const [name, value] of new URL(url).searchParams) target.searchParams.append(name, value);
  const sent = bearer === undefined ? headers : { ...headers, Authorization: `Bearer ${bearer}` };
  const startedAt = performance.now();
  const { request: open } = target.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const end = (status: number | null, error: string | null) =>
      resolve({ status, error, ms: Math.round(performance.now() - startedAt) });
    const request = open(target, { method: 'POST', headers: sent, timeout: timeoutMs }, (response) => {
      response.resume();
      end(response.statusCode ?? null, null);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message));
    request.end(body);
  });
}
