import { type RequestHandler, Router } from 'express';
import { type Operation, parseRoute } from './operation.js';

/**
 * A handler in front of the routers. For a request that matches an operation it runs the handler that `guardOf` returns for
 * the operation, if any. It matches paths with an Express router, exactly as the routers of the operations do. A request
 * that matches no operation passes, and gets its 404 or 405 later.
 */
export function guardOperations(
  operations: Operation[],
  guardOf: (operation: Operation) => RequestHandler | undefined,
): RequestHandler {
  const guards = Router();
  for (const operation of operations) {
    const guard = guardOf(operation);
    const { method, path } = parseRoute(operation);
    if (guard) guards[method](path.replace(/\{(\w+)\}/g, ':$1'), guard);
  }
  // Express routers answer OPTIONS themselves, before the routes behind this handler.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : guards(request, response, next));
}
