import type { Request, RequestHandler, Response } from 'express';
import type { CountRequest } from '@ringback/queue';
import { errorFields, type Logger, setBounded, withTimeout } from '@ringback/process';
import { accountIdOf, callerOf } from './authenticate.js';
import { ApiError } from './response.js';

export type RefusalDelayOptions = {
  /** The average delay. Each delay is random, from 50% to 150% of the average, so that delays do not end together. */
  delayMs?: number | undefined;
  /** The maximum number of refusals that wait. The others are sent without delay. */
  maxDelayed?: number;
};

/**
 * Delays refusals (429). A client that exceeds a limit and retries at once then gets only about one response per second
 * and connection, so refusing it costs the process little.
 */
export class RefusalDelay {
  readonly #delayMs: number;
  readonly #maxDelayed: number;
  #delayedCount = 0;

  constructor({ delayMs = 1_000, maxDelayed = 1_000 }: RefusalDelayOptions = {}) {
    this.#delayMs = delayMs;
    this.#maxDelayed = maxDelayed;
  }

  /**
   * Waits before a refusal is sent. The wait ends early if the client disconnects. There is no wait if the client has
   * disconnected, or if `maxDelayed` refusals are waiting.
   */
  async wait(response: Response): Promise<void> {
    if (this.#delayedCount >= this.#maxDelayed || response.destroyed) return;
    this.#delayedCount++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#delayMs * (0.5 + Math.random()));
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#delayedCount--;
  }
}

export type RequestLimitOptions = {
  perMinute: number;
  /**
   * Called with the id of the credential of each request, unless that is known to be over the limit. All processes
   * share the count.
   */
  countRequest: CountRequest;
  log: Pick<Logger, 'error'>;
  refusalDelay: RefusalDelay;
  /** How long `countRequest` may take; 100 ms when absent. After that, the request is counted in memory. */
  countTimeoutMs?: number | undefined;
};

type Count = { requests: number; endsAt: number };

export const requestWindowMs = 60_000;
const defaultCountTimeoutMs = 100;
const logIntervalMs = 60_000;
const maxCachedCounts = 10_000;

/**
 * Limits the requests per minute with each credential (access token or portal session). Response headers state the
 * limit, the remaining requests and the end of the minute. A 429 is delayed and has `Retry-After`
 * (docs/reference/api.md#limits).
 */
export class RequestLimit {
  readonly #options: RequestLimitOptions;
  /** The last counts of up to 10,000 credentials. */
  readonly #counts = new Map<string, Count>();
  #loggedAtMonotonicMs = -Infinity;

  constructor(options: RequestLimitOptions) {
    this.#options = options;
  }

  /** Counts a request of an account, and throws a 429 if it is over the limit. Platforms are not limited. */
  readonly check: RequestHandler = async (request: Request, response, next) => {
    if (accountIdOf(request) === undefined || callerOf(request).isPlatform) return next();
    const { perMinute, refusalDelay } = this.#options;
    const { requests, endsAt } = await this.#count(callerOf(request).credentialId);
    response.set('X-RateLimit-Limit', String(perMinute));
    response.set('X-RateLimit-Remaining', String(Math.max(0, perMinute - requests)));
    response.set('X-RateLimit-Reset', String(Math.ceil(endsAt / 1_000)));
    if (requests <= perMinute) return next();
    await refusalDelay.wait(response);
    response.set('Retry-After', String(Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))));
    throw new ApiError(429, 'Too Many Attempts.');
  };

  /**
   * Counts a request. Once a credential is over the limit, its further requests are refused without counting until the
   * window ends. While the shared counter is unavailable, requests are counted in memory, and only a credential that
   * was already over its limit is refused.
   */
  async #count(credentialId: string): Promise<Count> {
    const { perMinute, countRequest, countTimeoutMs = defaultCountTimeoutMs } = this.#options;
    const last = this.#counts.get(credentialId);
    const current = last && last.endsAt > Date.now() ? last : undefined;
    if (current && current.requests > perMinute) return current;
    try {
      const { requests, endsInMs } = await withTimeout(countTimeoutMs, countRequest(credentialId), () =>
        throwTimeout(countTimeoutMs),
      );
      return this.#keep(credentialId, { requests, endsAt: Date.now() + endsInMs });
    } catch (error) {
      this.#logFailure(error);
      const { requests, endsAt } = current ?? { requests: 0, endsAt: Date.now() + requestWindowMs };
      return this.#keep(credentialId, { requests: Math.min(requests + 1, perMinute), endsAt });
    }
  }

  #keep(credentialId: string, count: Count): Count {
    setBounded(this.#counts, credentialId, count, maxCachedCounts);
    return count;
  }

  #logFailure(error: unknown): void {
    if (performance.now() - this.#loggedAtMonotonicMs < logIntervalMs) return;
    this.#loggedAtMonotonicMs = performance.now();
    this.#options.log.error('rate_limit.not_counted', errorFields(error));
  }
}

function throwTimeout(afterMs: number): never {
  throw new Error(`the counter did not respond within ${afterMs} ms`);
}
