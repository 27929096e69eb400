import { type RequestHandler, Router } from 'express';
import type { Scope } from '@ringback/database';
import { type Operation, parseRoute } from '../openapi/operation.js';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';

/**
 * Requires the scope of the operation, with a 403 before any lookup. It matches paths with an Express router, exactly as the
 * routers of the operations do. A request that matches no operation passes, and gets its 404 or 405 later.
 */
export function requireScope(operations: Operation[]): RequestHandler {
  const guards = Router();
  for (const operation of operations) {
    if (operation.scope === undefined) continue;
    const { method, path } = parseRoute(operation);
    guards[method](path.replace(/\{(\w+)\}/g, ':$1'), refuseWithout(operation.scope));
  }
  // Express routers answer OPTIONS themselves, before the routes behind this handler.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : guards(request, response, next));
}

const refuseWithout =
  (scope: Scope): RequestHandler =>
  (request, response, next) => {
    if (callerOf(request).scopes.includes(scope)) return next();
    response.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ApiError(403, `This token lacks the scope "${scope}".`);
  };
