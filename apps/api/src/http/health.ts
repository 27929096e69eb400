import { type RequestHandler, Router } from 'express';
import { succeeds } from '@ringback/metrics';
import { ApiError } from './api-error.js';
import { answer } from './envelope.js';
import { allowOnly } from './errors.js';

/** What `/readyz` says while the queue is away: only test calls need it, and a queue that is back finds the challenges. */
export const degraded = 'Degraded: the queue does not answer. Test calls are refused, all other calls are served.';

export type HealthChecks = { database(): Promise<unknown>; queue(): Promise<unknown> };

/** `/healthz`: the process answers. `/readyz`: the database answers too, and the message says whether the queue does. */
export function healthRouter({ database, queue }: HealthChecks): Router {
  const router = Router();
  const isReady = succeeds(database);
  const hasQueue = succeeds(queue);
  const readOnly = allowOnly('GET', 'HEAD');
  const live: RequestHandler = (_request, response) => answer(response, 'OK', []);
  const ready: RequestHandler = async (_request, response) => {
    const [ready, queued] = await Promise.all([isReady(), hasQueue()]);
    if (!ready) throw new ApiError(503, 'The database does not answer.');
    answer(response, queued ? 'OK' : degraded, []);
  };
  router.route('/healthz').get(live).all(readOnly);
  router.route('/readyz').get(ready).all(readOnly);
  return router;
}
