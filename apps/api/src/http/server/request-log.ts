import type { RequestHandler } from 'express';
import type { Logger } from '@ringback/process';
import { accountIdOf } from '../guards/authenticate.js';

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
      };
      log.info('http.request', { ...fields, account_id: accountIdOf(request) });
    });
    next();
  };
}
