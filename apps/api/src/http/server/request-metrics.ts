import { type Request, type RequestHandler, Router } from 'express';
import type { ApiMetrics } from '../../metrics.js';
import { allowOnly } from '../output/errors.js';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts each request that gets a response by its route, method and status, and measures its duration. */
export function recordRequestMetrics(metrics: ApiMetrics): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.on('finish', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const method = knownMethods.has(request.method) ? request.method : 'other';
      metrics.recordRequest({ method, route: routeOf(request), status: response.statusCode, seconds });
    });
    next();
  };
}

/** The pattern of the route that the request reached. A request that a guard refused earlier may have reached none. */
function routeOf({ route }: Request): string {
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : 'none';
}

/** `/metrics`: the metrics of this process, for Prometheus. */
export function metricsRouter(metrics: ApiMetrics): Router {
  const router = Router();
  const send: RequestHandler = async (_request, response) => {
    const { type, text } = await metrics.read();
    response.type(type).send(text);
  };
  router.route('/metrics').get(send).all(allowOnly('GET', 'HEAD'));
  return router;
}
