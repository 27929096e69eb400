import { type RequestHandler, Router } from 'express';
import { createHealthCheck } from '@ringback/metrics';
import { ApiError } from '../output/api-error.js';
import { sendSuccess } from '../output/envelope.js';
import { allowOnly } from '../output/errors.js';

/** The message of `/readyz` while the queue is unavailable. Only test calls need it; challenges are queued later. */
export const degradedMessage =
  'Degraded: the queue does not respond. Test calls are refused; all other requests are served.';

export type HealthChecks = { database(): Promise<unknown>; queue(): Promise<unknown> };

/**
 * `/healthz` says that the process is running. `/readyz` says that the database responds, and whether the queue does.
 */
export function healthRouter({ database, queue }: HealthChecks): Router {
  const router = Router();
  const isReady = createHealthCheck(database);
  const hasQueue = createHealthCheck(queue);
  const readOnly = allowOnly('GET', 'HEAD');
  const live: RequestHandler = (_request, response) => sendSuccess(response, 'OK', []);
  const ready: RequestHandler = async (_request, response) => {
    const [ready, queued] = await Promise.all([isReady(), hasQueue()]);
    if (!ready) throw new ApiError(503, 'The database does not respond.');
    sendSuccess(response, queued ? 'OK' : degradedMessage, []);
  };
  router.route('/healthz').get(live).all(readOnly);
  router.route('/readyz').get(ready).all(readOnly);
  return router;
}
