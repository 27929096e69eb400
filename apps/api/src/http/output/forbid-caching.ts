import type { RequestHandler } from 'express';

/** Forbids caching. The portal overrides this header for files whose names contain a hash. */
export const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};
