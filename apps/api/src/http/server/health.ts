import { type RequestHandler, Router } from 'express';
import { createHealthCheck } from '@ringback/metrics';
import { ApiError } from '../output/api-error.js';
import { sendSuccess } from '../output/envelope.js';
import { allowOnly } from '../output/errors.js';

/** The message of `/readyz` while the queue is unavailable. Only test calls need it; verifications are queued later. */
export const degradedMessage =
  'Degraded: the queue does not respond. Test calls are refused; all other requests are served.';

export type HealthChecks = { database(): Promise<unknown>; queue(): Promise<unknown> };

/**
 * `/healthz` says that the process is running. `/readyz` says that the database responds, and whether the queue does.
 */
export function healthRouter({ database, queue }: HealthChecks): Router {
  const router = Router();
  const databaseResponds = createHealthCheck(database);
  const queueResponds = createHealthCheck(queue);
  const readOnly = allowOnly('GET', 'HEAD');
  const sendHealth: RequestHandler = (_request, response) => sendSuccess(response, 'OK', []);
  const sendReadiness: RequestHandler = async (_request, response) => {
    const [hasDatabase, hasQueue] = await Promise.all([databaseResponds(), queueResponds()]);
    if (!hasDatabase) throw new ApiError(503, 'The database does not respond.');
    sendSuccess(response, hasQueue ? 'OK' : degradedMessage, []);
  };
  router.route('/healthz').get(sendHealth).all(readOnly);
  router.route('/readyz').get(sendReadiness).all(readOnly);
  return router;
}
