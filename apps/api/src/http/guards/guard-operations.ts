import { type RequestHandler, Router } from 'express';
import { type Operation, parseRoute } from '../../openapi/operation.js';

/**
 * Creates a handler that runs before the routers of the operations. It matches a request with an operation by method
 * and path, as those routers do, and runs the guard that `guardOf` returns for the operation. A request without a guard
 * passes. A request that matches no operation passes too, and gets a 404 or 405 later.
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
  // An Express router would respond to OPTIONS itself, and the routes behind this handler would not get the request.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : guards(request, response, next));
}
