import type { RequestHandler, Response } from 'express';
import type { Operation } from '../../openapi/operation.js';
import { ApiError } from '../output/api-error.js';
import { callerOf } from './authenticate.js';
import { type Acquire, createKeyedSemaphore, type Release } from './keyed-semaphore.js';
import { guardOperations } from './guard-operations.js';
import type { DelayRefusal } from './refusal-delay.js';

const waitLimits = { maxWaiting: 100, maxWaitMs: 2_000 };
/** Maximum concurrent searches of one account in one API process. */
const maxSearches = 1;
/** The maximum is below `maxWaitMs`, so that a client that sends one search after another gets no 429. */
const maxCooldownMs = 1_900;
const retryAfterSeconds = '1';

/**
 * Limits an account's concurrent requests in this process to `limit`. Up to 100 more requests wait for at most 2 s,
 * first come, first served. A request gets a 429 if 100 are waiting already or if its wait times out. The 429 is
 * delayed to slow down clients that retry at once.
 */
export function limitConcurrency(limit: number, delayRefusal: DelayRefusal): RequestHandler {
  return limitBy(createKeyedSemaphore({ limit, ...waitLimits }), delayRefusal);
}

/**
 * Limits an account's concurrent searches in this process to one. After a search, its permit stays in use for another
 * period as long as the search, but at most 1.9 s. So the searches of one account in one API process use at most about
 * half a core of PostgreSQL. Searches longer than 1.9 s, which have several statements, may use more.
 */
export function limitSearches(operations: Operation[], delayRefusal: DelayRefusal): RequestHandler {
  const limit = limitBy(withCooldown(createKeyedSemaphore({ limit: maxSearches, ...waitLimits })), delayRefusal);
  return guardOperations(operations, ({ isSearch }) => (isSearch ? limit : undefined));
}

/** Delays the release of a permit by the time for which it was in use, at most `maxCooldownMs`. */
const withCooldown =
  (acquire: Acquire): Acquire =>
  async (key, signal) => {
    const release = await acquire(key, signal);
    const acquiredAtMonotonicMs = performance.now();
    return (
      release &&
      (() => void setTimeout(release, Math.min(performance.now() - acquiredAtMonotonicMs, maxCooldownMs)).unref())
    );
  };

const limitBy =
  (acquire: Acquire, delayRefusal: DelayRefusal): RequestHandler =>
  async (request, response, next) => {
    const abortOnDisconnect = new AbortController();
    const onClose = () => abortOnDisconnect.abort();
    response.once('close', onClose);
    const release = await acquire(callerOf(request).accountId, abortOnDisconnect.signal);
    response.off('close', onClose);
    if (release) {
      releaseAtResponse(response, release);
      return next();
    }
    await delayRefusal(response);
    if (response.destroyed) return;
    response.set('Retry-After', retryAfterSeconds);
    throw new ApiError(429, 'Too many concurrent requests for this account.');
  };

/**
 * Releases the permit when the response is sent. If the client disconnects first, the SQL statement still runs in the
 * database. The permit is then kept until the handler ends the response, so that a client cannot free it by
 * disconnecting.
 */
function releaseAtResponse(response: Response, release: Release): void {
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
