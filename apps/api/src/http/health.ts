import { Router } from 'express';
import { ApiError } from './api-error.js';
import { answer } from './envelope.js';

/** `/healthz`: the process answers. `/readyz`: the database and the queue answer too. */
export function healthRouter(check: () => Promise<unknown>): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => answer(response, 'OK', []));
  router.get('/readyz', async (_request, response) => {
    await check().catch(() => {
      throw new ApiError(503, 'The database or the queue does not answer.');
    });
    answer(response, 'OK', []);
  });
  return router;
}
