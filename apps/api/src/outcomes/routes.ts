import type { Request, Response } from 'express';
import {
  ExpiredCursorError,
  findOldestWriter,
  ForeignCursorError,
  type OutcomePage,
  readOutcomes,
} from '@ringback/ledger';
import { errorFields } from '@ringback/process';
import { KeyedSemaphore } from '../http/concurrency-limit.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { Routes } from '../http/routes.js';
import { longHeldSince, outcomeMeta, type OutcomeRequest, outcomeResource, readOutcomeRequest } from './schema.js';
import { OutcomeWatch } from './watch.js';

// Readers must not take the connections of the management API.
const maxReads = 2;
const maxRequests = 100;
/** How long a request goes on through rows that its `types` leave out. */
const scanMs = 1_000;
const logHeldEveryMs = 60_000;

export function outcomeRoutes(deps: ApiDeps): Routes {
  const reader = new OutcomeReader(deps);
  return { 'GET /platform/outcomes': (request, response) => reader.list(request, response) };
}

/** Serves the readers of outcomes of this process. */
class OutcomeReader {
  readonly #deps: ApiDeps;
  readonly #watch: OutcomeWatch;
  readonly #reads = new KeyedSemaphore({ limit: maxReads, maxWaiting: maxRequests, maxWaitMs: 2_000 });
  #requestCount = 0;
  #heldLoggedAtMonotonicMs = -Infinity;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
    this.#watch = new OutcomeWatch(deps.db, (error) => deps.log.warn('outcomes.unavailable', errorFields(error)));
  }

  async list(request: Request, response: Response): Promise<void> {
    const wanted = readOutcomeRequest(request);
    if (this.#requestCount >= maxRequests) throw tooManyReaders(response);
    const departure = new AbortController();
    response.once('close', () => departure.abort());
    // A client that leaves ends its side of the connection first. One that only ends its side gets its response now.
    const halfClose = new AbortController();
    const endWait = () => halfClose.abort();
    if (request.socket.readableEnded) endWait();
    request.socket.once('end', endWait);
    this.#requestCount++;
    try {
      const signals = { departed: departure.signal, ended: halfClose.signal };
      const page = await this.#readOrWait(wanted, response, signals);
      if (page) sendSuccess(response, 'OK', page.outcomes.map(outcomeResource), { meta: outcomeMeta(page) });
    } finally {
      request.socket.off('end', endWait);
      this.#requestCount--;
    }
  }

  /** The first page with an outcome, or an empty one when the wait is over. Undefined when the client has left. */
  async #readOrWait(
    wanted: OutcomeRequest,
    response: Response,
    { departed, ended }: { departed: AbortSignal; ended: AbortSignal },
  ): Promise<OutcomePage | undefined> {
    const startedAt = performance.now();
    const { stopping, metrics } = this.#deps;
    const isOver = AbortSignal.any([
      departed,
      ended,
      AbortSignal.timeout(wanted.waitMs),
      ...(stopping ? [stopping] : []),
    ]);
    let { cursor } = wanted;
    for (;;) {
      const page = await this.#read({ ...wanted, cursor }, response, departed);
      if (departed.aborted) return undefined;
      await this.#reportHeld(page);
      cursor = page.cursor;
      const scanned = !page.isEnd && performance.now() - startedAt > scanMs;
      if (page.outcomes.length > 0 || scanned || (page.isEnd && (wanted.waitMs === 0 || isOver.aborted))) return page;
      if (page.isEnd) await metrics.duringWait(response, () => this.#watch.waitForMore(cursor, isOver));
      if (departed.aborted) return undefined;
    }
  }

  async #read(
    { cursor, types, limit }: OutcomeRequest,
    response: Response,
    departed: AbortSignal,
  ): Promise<OutcomePage> {
    if (!(await this.#reads.acquire('', departed))) throw tooManyReaders(response);
    try {
      return await readOutcomes(this.#deps.db, { cursor, types, limit }).catch(rethrowCursorError);
    } finally {
      this.#reads.release('');
    }
  }

  /** Says in the log which transaction holds outcomes back. */
  async #reportHeld(page: OutcomePage): Promise<void> {
    const since = longHeldSince(page);
    if (since === null || performance.now() - this.#heldLoggedAtMonotonicMs < logHeldEveryMs) return;
    this.#heldLoggedAtMonotonicMs = performance.now();
    const transaction = await findOldestWriter(this.#deps.db).catch(() => null);
    const hint = 'outcomes wait for the oldest transaction that writes; end it (docs/operate/fix.md)';
    this.#deps.log.warn('outcomes.held', { since, ...transaction, hint });
  }
}

function tooManyReaders(response: Response): ApiError {
  response.set('Retry-After', '1');
  return new ApiError(429, 'Too many requests read outcomes. Try again later.');
}

const aheadMessage = 'The cursor is ahead of the database: it is of another service, or the database was restored.';
const expiredMessage =
  'Outcomes after this cursor are no longer kept. Without a cursor, the list starts with the oldest that is.';

function rethrowCursorError(error: unknown): never {
  if (error instanceof ForeignCursorError) throw validationError({ cursor: [aheadMessage] });
  if (error instanceof ExpiredCursorError) throw new ApiError(410, expiredMessage);
  throw error;
}
