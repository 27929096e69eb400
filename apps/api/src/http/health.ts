import { type RequestHandler, Router } from 'express';
import { createHealthCheck } from '@ringback/metrics';
import { ApiError } from './api-error.js';
import { sendSuccess } from './envelope.js';
import { allowOnly } from './errors.js';

/** `/healthz`: the process is running. `/readyz`: the database and the queue respond, too. */
export function healthRouter(check: () => Promise<unknown>): Router {
  const router = Router();
  const isReady = createHealthCheck(check);
  const readOnly = allowOnly('GET', 'HEAD');
  const live: RequestHandler = (_request, response) => sendSuccess(response, 'OK', []);
  const ready: RequestHandler = async (_request, response) => {
    if (!(await isReady())) throw new ApiError(503, 'The database or the queue does not answer.');
    sendSuccess(response, 'OK', []);
  };
  router.route('/healthz').get(live).all(readOnly);
  router.route('/readyz').get(ready).all(readOnly);
  return router;
}
