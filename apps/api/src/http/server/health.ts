import { type RequestHandler, Router } from 'express';
import { createHealthCheck } from '@ringback/process/metrics';
import { ApiError } from '../output/api-error.js';
import { sendSuccess } from '../output/envelope.js';
import { allowOnly } from '../output/errors.js';

/**
 * The message of `/readyz` while the queue engine is unavailable. Only test calls need the queue engine: verifications
 * are enqueued later.
 */
export const degradedMessage =
  'Degraded: the queue does not respond. Test calls are refused; all other requests are served.';

export type HealthChecks = Record<'database' | 'writes' | 'queue', () => Promise<unknown>>;

/**
 * `/healthz` says that the process is running. `/readyz` says whether the database responds and accepts writes (200 or
 * 503), and whether the queue engine responds (the message).
 */
export function healthRouter({ database, writes, queue }: HealthChecks): Router {
  const router = Router();
  const checkDatabase = createHealthCheck(database);
  const checkWrites = createHealthCheck(writes);
  const checkQueue = createHealthCheck(queue);
  const rejectOtherMethods = allowOnly('GET', 'HEAD');
  const sendHealth: RequestHandler = (_request, response) => sendSuccess(response, 'OK', []);
  const sendReadiness: RequestHandler = async (_request, response) => {
    const [responds, isWritable, isQueueReady] = await Promise.all([checkDatabase(), checkWrites(), checkQueue()]);
    if (!isWritable) throw new ApiError(503, `The database ${responds ? 'is read-only' : 'does not respond'}.`);
    sendSuccess(response, isQueueReady ? 'OK' : degradedMessage, []);
  };
  router.route('/healthz').get(sendHealth).all(rejectOtherMethods);
  router.route('/readyz').get(sendReadiness).all(rejectOtherMethods);
  return router;
}
