import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { type ProductNames, rename } from '@ringback/rules';
import { type Logger, percentDecode } from '@ringback/process';
import { accountIdOf } from './authenticate.js';
import { queryText } from './input.js';
import { ApiError } from './response.js';

/** The default Content-Security-Policy, with which a browser loads nothing. `/docs` and the portal extend it. */
export const defaultCspDirectives = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Formats a Content-Security-Policy of these directives and the default ones. */
export const cspWith = (directives: Record<string, readonly string[]>): string =>
  Object.entries({ ...defaultCspDirectives, ...directives })
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join(';');

const requestIdHeader = 'X-Request-Id';

/**
 * Gives each response an `X-Request-Id`: that of the request, so that one id follows a request through several systems,
 * if it has up to 128 letters, digits and `._:/+=@~-`; else a new one.
 */
export const assignRequestId: RequestHandler = (request, response, next) => {
  const given = request.get(requestIdHeader) ?? '';
  response.set(requestIdHeader, /^[\w.:/+=@~-]{1,128}$/.test(given) ? given : randomUUID());
  next();
};

/** The `X-Request-Id` of a response. */
const requestIdOf = (response: Response): string | undefined => response.get(requestIdHeader);

/** Logs one line for each request that gets a response, without the query, which may contain a token. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, originalUrl } = request;
    response.on('finish', () => {
      const durationMs = Math.round(performance.now() - startedAt);
      const fields = {
        method,
        path: originalUrl.split('?', 1)[0],
        status: response.statusCode,
        duration_ms: durationMs,
        request_id: requestIdOf(response),
      };
      log.info('http.request', { ...fields, account_id: accountIdOf(request) });
    });
    next();
  };
}

/** Forbids caching. The portal overrides this header for files whose names contain a hash. */
export const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Throws a 400 unless the request has exactly one Host header. In HTTP/1.0 it may be missing. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const { length } = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (length > 1) throw new ApiError(400, 'There is more than one Host header.');
  if (length === 0 && request.httpVersion === '1.1') throw new ApiError(400, 'The Host header is missing.');
  next();
};

/** Refuses Ringback's own callbacks with a 508, because a webhook that points to this API could cause a loop. */
export function refuseCallbackLoops(names: ProductNames): RequestHandler {
  const ownHeader = rename('X-Ringback-Delivery', names).toLowerCase();
  const message = rename('This is a callback of Ringback. Its webhook must not point back at Ringback.', names);
  return (request, _response, next) => {
    if (request.headers[ownHeader] !== undefined) throw new ApiError(508, message);
    next();
  };
}

/**
 * Gives a path with malformed percent-encoding the 404 of an unknown id, instead of Express's 400. It replaces each `%`
 * in a malformed segment of the path with an encoded NUL, which no id contains.
 */
export const escapeMalformedPaths: RequestHandler = (request, _response, next) => {
  if (!request.url.includes('%')) return next();
  const [path = '', ...query] = request.url.split('?');
  const segments = path
    .split('/')
    .map((segment) => (percentDecode(segment) !== undefined ? segment : segment.replaceAll('%', '%00')));
  request.url = [segments.join('/'), ...query].join('?');
  next();
};

const overridable = ['PUT', 'PATCH', 'DELETE'];

/**
 * Lets clients that can send only POST use PUT, PATCH and DELETE: by the header `X-HTTP-Method-Override` or else, as in
 * Laravel, `_method` in the query or the body. Any other value that is not empty becomes a method that no path has: a
 * 405 with `Allow`.
 */
export const overrideMethod: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  const bodyMethod: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, '_method') : undefined;
  const queryMethod = request.url.includes('?') ? queryText(request, '_method') : undefined;
  const override = request.get('X-HTTP-Method-Override') ?? queryMethod ?? bodyMethod;
  if (request.method === 'POST' && override !== undefined && override !== null && override !== '') {
    const method = typeof override === 'string' ? override.toUpperCase() : JSON.stringify(override);
    request.method = overridable.includes(method) ? method : `_method=${method.slice(0, 20)}`;
  }
  next();
};
