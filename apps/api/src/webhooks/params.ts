import type { Request } from 'express';
import { ApiError } from '../http/api-error.js';
import { callerOf } from '../http/authenticate.js';

/** The account and the webhook id of a request. */
export const webhookParams = (request: Request<{ id: string }>) => ({
  accountId: callerOf(request).accountId,
  id: request.params.id,
});

/** The one 404 of webhooks: it does not tell an unknown webhook from another account's. */
export const webhookNotFound = () => new ApiError(404, 'Webhook not found.');
