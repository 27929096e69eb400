import { type RequestHandler, type Response, Router } from 'express';
import { type Operation, placeOf } from '../openapi/operation.js';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';
import { type Acquire, createConcurrencyLimiter, type Release } from './concurrency-limiter.js';
import type { HoldBack } from './hold-back.js';

/** How long the requests of an account wait for each other, and how many may. */
const waits = { maxWaiting: 100, maxWaitMs: 2_000 };
/** Searches of one account that are under way in one API process. */
const maxSearches = 1;
const retryAfterS = '1';

/**
 * An account has `limit` requests under way in this process, and 100 that wait up to 2 s for their turn, first come,
 * first served. What is beyond that gets a 429, which is held back.
 */
export function limitConcurrency(limit: number, holdBack: HoldBack): RequestHandler {
  return limitBy(createConcurrencyLimiter({ limit, ...waits }), holdBack);
}

/** The same for operations that read many rows: one account searches with one database connection at a time. */
export function limitSearches(operations: Operation[], holdBack: HoldBack): RequestHandler {
  const searches = Router();
  const limit = limitBy(createConcurrencyLimiter({ limit: maxSearches, ...waits }), holdBack);
  for (const operation of operations.filter(({ search }) => search)) {
    const { method, path } = placeOf(operation);
    searches[method](path.replace(/\{(\w+)\}/g, ':$1'), limit);
  }
  // A router would answer OPTIONS by itself.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : searches(request, response, next));
}

const limitBy =
  (acquire: Acquire, holdBack: HoldBack): RequestHandler =>
  async (request, response, next) => {
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once('close', leave);
    const release = await acquire(callerOf(request).accountId, gone.signal);
    response.off('close', leave);
    if (release) {
      releaseWhenAnswered(response, release);
      return next();
    }
    await holdBack(response);
    if (response.destroyed) return;
    response.set('Retry-After', retryAfterS);
    throw new ApiError(429, 'Too many requests of this account are under way.');
  };

/**
 * Gives the permit back when the answer is sent. When the client is gone before that, its statement still runs in the
 * database, so the permit is kept until the handler answers: hanging up must not make way for the next statement.
 */
function releaseWhenAnswered(response: Response, release: Release): void {
  const end = response.end.bind(response);
  response.once('finish', release);
  const onClose = () => {
    if (response.writableEnded) return release();
    response.end = (...parts: unknown[]) => {
      release();
      return Reflect.apply(end, response, parts);
    };
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
}
