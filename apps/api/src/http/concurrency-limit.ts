import type { Request, RequestHandler, Response } from 'express';
import { accountIdOf } from './authenticate.js';
import type { RefusalDelay } from './request-limit.js';
import { ApiError } from './response.js';

export type PermitSettings = {
  limit: number;
  /** Callers per key that may wait for a permit. */
  maxWaiting: number;
  maxWaitMs: number;
};

type Waiter = (isGranted: boolean) => void;
type KeyState = { inUse: number; waiting: Set<Waiter> };

/** Permits of each key, within this process. Callers that find none free wait in the order of arrival. */
export class KeyedSemaphore {
  readonly #settings: PermitSettings;
  readonly #keys = new Map<string, KeyState>();

  constructor(settings: PermitSettings) {
    this.#settings = settings;
  }

  /**
   * Resolves with true when the caller has a permit, which it must release once; with false when `maxWaiting` callers
   * already wait, when the wait times out, or when `signal` is aborted.
   */
  async acquire(key: string, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    const state = this.#keys.get(key) ?? { inUse: 0, waiting: new Set() };
    this.#keys.set(key, state);
    if (state.inUse >= this.#settings.limit)
      return state.waiting.size < this.#settings.maxWaiting && this.#wait(state, signal);
    state.inUse++;
    return true;
  }

  release(key: string): void {
    const state = this.#keys.get(key);
    if (!state) return;
    const [next] = state.waiting;
    // The permit goes directly to the next waiter, so that a new caller cannot overtake it.
    if (next) next(true);
    else if (--state.inUse === 0) this.#keys.delete(key);
  }

  #wait({ waiting }: KeyState, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle: Waiter = (isGranted) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        waiting.delete(settle);
        resolve(isGranted);
      };
      const leave = () => settle(false);
      const timer = setTimeout(leave, this.#settings.maxWaitMs);
      signal?.addEventListener('abort', leave);
      waiting.add(settle);
    });
  }
}

const maxWaiting = 100;
const defaultMaxWaitMs = 2_000;
/** Maximum concurrent searches of one account in one API process. */
const maxSearches = 1;
/** The maximum is below `defaultMaxWaitMs`, so that a client that sends one search after another gets no 429. */
const maxCooldownMs = 1_900;
const retryAfterSeconds = '1';

export type RequestConcurrencyLimitOptions = {
  /** Maximum concurrent handlers of one account in this process. It should be below the connections of their pool. */
  perAccount: number;
  /** How long a request waits for its turn; 2 s when absent. */
  maxWaitMs?: number | undefined;
  refusalDelay: RefusalDelay;
};

/**
 * Without a limit, one account could use up the database connections of all. So it may have some requests at once in
 * this process, and up to 100 more wait for at most 2 s, first come, first served. Any other gets a 429, delayed to
 * slow down clients that retry at once.
 *
 * Searches run one at a time. The next one waits for as long as the last one took, at most 1.9 s, so that the searches
 * of an account use about half a core of PostgreSQL in each API process.
 */
export class RequestConcurrencyLimit {
  readonly #requests: KeyedSemaphore;
  readonly #searches: KeyedSemaphore;
  readonly #refusalDelay: RefusalDelay;
  /** The handlers of admitted requests. */
  readonly #running = new WeakMap<Response, Promise<void>>();

  constructor({ perAccount, maxWaitMs = defaultMaxWaitMs, refusalDelay }: RequestConcurrencyLimitOptions) {
    this.#requests = new KeyedSemaphore({ limit: perAccount, maxWaiting, maxWaitMs });
    this.#searches = new KeyedSemaphore({ limit: maxSearches, maxWaiting, maxWaitMs });
    this.#refusalDelay = refusalDelay;
  }

  /**
   * Lets a request continue when it is its account's turn, and throws a 429 if that takes too long. It runs before the
   * body is read, so that waiting requests keep no bodies in memory.
   *
   * The permit is released when the response has ended and the handler has settled. If leaving alone released it, a
   * client could disconnect again and again while its statements still run in the database.
   */
  readonly admit: RequestHandler = async (request, response, next) => {
    const account = accountIdOf(request);
    if (account === undefined) return next();
    if (!(await this.#acquire(this.#requests, account, response))) return;
    afterResponse(response, () => {
      void Promise.allSettled([this.#running.get(response)]).then(() => this.#requests.release(account));
    });
    next();
  };

  /** Runs the handler of an admitted request. A search first waits for its account's turn to search. */
  async run(
    request: Request,
    response: Response,
    { isSearch = false }: { isSearch?: boolean },
    handle: () => unknown,
  ): Promise<void> {
    const account = accountIdOf(request);
    // Its client left before the handler began, so its permit is released.
    if (account !== undefined && response.destroyed) return;
    const running = (async () => {
      await (isSearch && account !== undefined ? this.#runSearch(account, response, handle) : handle());
    })();
    this.#running.set(response, running);
    await running;
  }

  async #runSearch(account: string, response: Response, handle: () => unknown): Promise<void> {
    if (!(await this.#acquire(this.#searches, account, response))) return;
    const startedAt = performance.now();
    const release = () => this.#searches.release(account);
    try {
      await handle();
    } finally {
      afterResponse(response, () => {
        setTimeout(release, Math.min(performance.now() - startedAt, maxCooldownMs)).unref();
      });
    }
  }

  /** Resolves with false if the client has left meanwhile. */
  async #acquire(permits: KeyedSemaphore, account: string, response: Response): Promise<boolean> {
    const departure = new AbortController();
    const leave = () => departure.abort();
    response.once('close', leave);
    const isGranted = await permits.acquire(account, departure.signal);
    response.off('close', leave);
    if (isGranted) return true;
    await this.#refusalDelay.wait(response);
    if (response.destroyed) return false;
    response.set('Retry-After', retryAfterSeconds);
    throw new ApiError(429, 'Too many concurrent requests for this account.');
  }
}

/** Calls `action` when the response is sent or its client gone. */
function afterResponse(response: Response, action: () => void): void {
  if (response.destroyed) action();
  else response.once('close', action);
}
