import { type RequestHandler, Router } from 'express';
import { succeeds } from '@ringback/metrics';
import { ApiError } from './api-error.js';
import { answer } from './envelope.js';
import { allowOnly } from './errors.js';

/** `/healthz`: the process answers. `/readyz`: the database and the queue answer too. */
export function healthRouter(check: () => Promise<unknown>): Router {
  const router = Router();
  const isReady = succeeds(check);
  const readOnly = allowOnly('GET', 'HEAD');
  const live: RequestHandler = (_request, response) => answer(response, 'OK', []);
  const ready: RequestHandler = async (_request, response) => {
    if (!(await isReady())) throw new ApiError(503, 'The database or the queue does not answer.');
    answer(response, 'OK', []);
  };
  router.route('/healthz').get(live).all(readOnly);
  router.route('/readyz').get(ready).all(readOnly);
  return router;
}
