import type { RequestHandler } from 'express';
import type { Scope } from '@ringback/ledger';
import type { Operation } from '../../openapi/operation.js';
import { ApiError } from '../output/api-error.js';
import { callerOf } from './authenticate.js';
import { guardOperations } from './guard-operations.js';

/** Requires the scope of the operation. A token without it gets a 403 before the request's ids and fields are read. */
export function requireScope(operations: Operation[]): RequestHandler {
  return guardOperations(operations, ({ scope }) => scope && refuseWithout(scope));
}

const refuseWithout =
  (scope: Scope): RequestHandler =>
  (request, response, next) => {
    if (callerOf(request).scopes.includes(scope)) return next();
    response.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ApiError(403, `This token lacks the scope "${scope}".`);
  };
