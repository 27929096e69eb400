import { type RequestHandler, Router } from 'express';
import type { Scope } from '@ringback/database';
import { type Operation, placeOf } from '../openapi/operation.js';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';

/**
 * Refuses a call whose token lacks the scope of the operation, before anything is looked up: 403. Paths are compared as
 * the routers behind it compare them. What is no operation goes on, to its 404 or 405.
 */
export function requireScope(operations: Operation[]): RequestHandler {
  const guards = Router();
  for (const operation of operations) {
    if (operation.scope === undefined) continue;
    const { method, path } = placeOf(operation);
    guards[method](path.replace(/\{(\w+)\}/g, ':$1'), refuseWithout(operation.scope));
  }
  // A router would answer OPTIONS by itself.
  return (request, response, next) => (request.method === 'OPTIONS' ? next() : guards(request, response, next));
}

const refuseWithout =
  (scope: Scope): RequestHandler =>
  (request, response, next) => {
    if (callerOf(request).scopes.includes(scope)) return next();
    response.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ApiError(403, `This token lacks the scope "${scope}".`);
  };
