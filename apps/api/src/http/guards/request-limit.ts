import type { RequestHandler } from 'express';
import { errorFields, type Logger, setBounded, withTimeout } from '@ringback/process';
import { ApiError } from '../output/api-error.js';
import { callerOf } from './authenticate.js';
import type { DelayRefusal } from './refusal-delay.js';

/**
 * Counts a request with an access token or portal session. Returns the number of requests in the current window,
 * including this one, and the time until the window ends. All processes share the count.
 */
export type CountRequest = (credentialId: string) => Promise<{ requests: number; endsInMs: number }>;

export type RequestLimitOptions = {
  perMinute: number;
  /** Called for each request, unless its credential is known to be over the limit. */
  countRequest: CountRequest;
  log: Pick<Logger, 'error'>;
  delayRefusal: DelayRefusal;
  /** How long `countRequest` may take. After that, the request is counted in memory. */
  countTimeoutMs?: number | undefined;
};

export const requestWindowMs = 60_000;
const defaultCountTimeoutMs = 100;
const logIntervalMs = 60_000;
const maxCachedCounts = 10_000;

/**
 * Limits the requests per minute with each credential (access token or portal session). Response headers state the
 * limit, the remaining requests and the end of the minute. A 429 is delayed and has `Retry-After`
 * (docs/reference/api.md#limits).
 */
export function limitRequests(options: RequestLimitOptions): RequestHandler {
  const count = createCounter(options);
  return async (request, response, next) => {
    const { requests, endsAt } = await count(callerOf(request).credentialId);
    response.set('X-RateLimit-Limit', String(options.perMinute));
    response.set('X-RateLimit-Remaining', String(Math.max(0, options.perMinute - requests)));
    response.set('X-RateLimit-Reset', String(Math.ceil(endsAt / 1_000)));
    if (requests <= options.perMinute) return next();
    await options.delayRefusal(response);
    response.set('Retry-After', String(Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))));
    throw new ApiError(429, 'Too Many Attempts.');
  };
}

type Count = { requests: number; endsAt: number };

/**
 * Creates a counter that keeps the last counts of up to 10,000 credentials in memory. A credential whose kept count is
 * over the limit is not counted again within the window. While the shared counter is unavailable, requests are counted
 * in memory. They are then never refused, unless the credential was already over its limit.
 */
function createCounter(options: RequestLimitOptions): (credentialId: string) => Promise<Count> {
  const { perMinute, countRequest, log, countTimeoutMs = defaultCountTimeoutMs } = options;
  const counts = new Map<string, Count>();
  let loggedAtMonotonicMs = -Infinity;
  const store = (credentialId: string, count: Count) => {
    setBounded(counts, credentialId, count, maxCachedCounts);
    return count;
  };
  const logFailure = (error: unknown) => {
    if (performance.now() - loggedAtMonotonicMs < logIntervalMs) return;
    loggedAtMonotonicMs = performance.now();
    log.error('rate_limit.not_counted', errorFields(error));
  };
  return async (credentialId) => {
    const last = counts.get(credentialId);
    const current = last && last.endsAt > Date.now() ? last : undefined;
    if (current && current.requests > perMinute) return current;
    try {
      const { requests, endsInMs } = await withTimeout(countTimeoutMs, countRequest(credentialId), () =>
        throwTimeout(countTimeoutMs),
      );
      return store(credentialId, { requests, endsAt: Date.now() + endsInMs });
    } catch (error) {
      logFailure(error);
      const { requests, endsAt } = current ?? { requests: 0, endsAt: Date.now() + requestWindowMs };
      return store(credentialId, { requests: Math.min(requests + 1, perMinute), endsAt });
    }
  };
}

function throwTimeout(afterMs: number): never {
  throw new Error(`the counter did not respond within ${afterMs} ms`);
}
