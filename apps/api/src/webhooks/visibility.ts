import type { Request, RequestHandler } from 'express';
import { type Operation, parseRoute } from '../openapi/operation.js';
import { webhookNotFound } from './webhook-not-found.js';
import { ApiError } from '../http/output/api-error.js';
import { callerOf } from '../http/guards/authenticate.js';
import { guardOperations } from '../http/guards/guard-operations.js';

/** Whether the caller may see a webhook of its account. A portal session may be restricted to some webhooks. */
export const canSeeWebhook = (request: Request, webhookId: string): boolean =>
  callerOf(request).webhookIds?.includes(webhookId.toLowerCase()) ?? true;

/**
 * Guards operations against portal sessions that are restricted to some webhooks. For such a session, an operation on
 * the path of another webhook responds with 404, as for an unknown one. An operation without a webhook in its path
 * responds with 403. Operations with `forRestrictedSession`, or without a scope, are not guarded.
 */
export function hideOtherWebhooks(operations: Operation[]): RequestHandler {
  return guardOperations(operations, (operation) => {
    if (operation.scope === undefined || operation.forRestrictedSession !== undefined) return undefined;
    return parseRoute(operation).path.startsWith('/developer/webhooks/{id}')
      ? requireVisibleWebhook
      : refuseRestrictedSession(operation);
  });
}

const requireVisibleWebhook: RequestHandler = (request, _response, next) => {
  if (!canSeeWebhook(request, String(request.params.id))) throw webhookNotFound();
  next();
};

const refuseRestrictedSession =
  ({ summary }: Operation): RequestHandler =>
  (request, _response, next) => {
    const action = summary.charAt(0).toLowerCase() + summary.slice(1);
    if (callerOf(request).webhookIds)
      throw new ApiError(403, `This session is restricted to some webhooks, so it cannot ${action}.`);
    next();
  };
