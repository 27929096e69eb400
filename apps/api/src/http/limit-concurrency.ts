import { type RequestHandler, type Response, Router } from 'express';
import { type Operation, parseRoute } from '../openapi/operation.js';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';
import { type Acquire, createConcurrencyLimiter, type Release } from './concurrency-limiter.js';
import type { DelayRefusal } from './refusal-delay.js';

const waitLimits = { maxWaiting: 100, maxWaitMs: 2_000 };
/** Concurrent searches of one account in one API process. */
const maxSearches = 1;
const retryAfterSeconds = '1';

/**
 * Limits the concurrent requests of an account in this process to `limit`. Up to 100 further ones wait for up to 2 s, in the
 * order of arrival; the others get a delayed 429.
 */
export function limitConcurrency(limit: number, delayRefusal: DelayRefusal): RequestHandler {
  return limitBy(createConcurrencyLimiter({ limit, ...waitLimits }), delayRefusal);
}

/** Limits the concurrent searches of an account to one, so that they occupy one database connection only. */
export function limitSearches(operations: Operation[], delayRefusal: DelayRefusal): RequestHandler {
  const searches = Router();
  const limit = limitBy(createConcurrencyLimiter({ limit: maxSearches, ...waitLimits }), delayRefusal);
  for (const operation of operations.filter(({ search }) => search)) {
    const { method, path } = parseRoute(operation);
    searches[method](path.replace(/\{(\w+)\}/g, ':$1'), limit);
  }
  // Express routers answer OPTIONS themselves, before the routes behind this handler.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : searches(request, response, next));
}

const limitBy =
  (acquire: Acquire, delayRefusal: DelayRefusal): RequestHandler =>
  async (request, response, next) => {
    const disconnected = new AbortController();
    const onClose = () => disconnected.abort();
    response.once('close', onClose);
    const release = await acquire(callerOf(request).accountId, disconnected.signal);
    response.off('close', onClose);
    if (release) {
      releaseAtResponse(response, release);
      return next();
    }
    await delayRefusal(response);
    if (response.destroyed) return;
    response.set('Retry-After', retryAfterSeconds);
    throw new ApiError(429, 'Too many requests of this account are under way.');
  };

/**
 * Releases the permit when the response is sent. When the client disconnects before, its statement still runs in the
 * database; the permit is then kept until the handler ends the response, so that disconnecting does not free a permit.
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
