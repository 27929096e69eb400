import { type RequestHandler, Router } from 'express';
import { pingDatabase, requireWritable } from '@ringback/ledger';
import { createHealthCheck } from '@ringback/process/metrics';
import type { ApiDeps } from '../http/deps.js';
import { allowOnly, ApiError, sendSuccess } from '../http/response.js';
import { degradedMessage } from './schema.js';

/**
 * `/healthz` says that the process is running. `/readyz` says whether the database responds and accepts writes (200 or
 * 503), and whether the queue engine responds (the message). `/metrics` has the metrics of this process.
 */
export function serviceRouter({ reservedDb, queues, metrics }: ApiDeps): Router {
  const checkDatabase = createHealthCheck(() => pingDatabase(reservedDb));
  const checkWrites = createHealthCheck(() => requireWritable(reservedDb));
  const checkQueue = createHealthCheck(() => queues.check());
  const sendReadiness: RequestHandler = async (_request, response) => {
    const [responds, isWritable, isQueueReady] = await Promise.all([checkDatabase(), checkWrites(), checkQueue()]);
    if (!isWritable) throw new ApiError(503, `The database ${responds ? 'is read-only' : 'does not respond'}.`);
    sendSuccess(response, isQueueReady ? 'OK' : degradedMessage, []);
  };
  const sendMetrics: RequestHandler = async (_request, response) => {
    const { type, text } = await metrics.read();
    response.type(type).send(text);
  };

  const router = Router();
  const rejectOtherMethods = allowOnly('GET', 'HEAD');
  router
    .route('/healthz')
    .get((_request, response) => sendSuccess(response, 'OK', []))
    .all(rejectOtherMethods);
  router.route('/readyz').get(sendReadiness).all(rejectOtherMethods);
  router.route('/metrics').get(sendMetrics).all(rejectOtherMethods);
  return router;
}
