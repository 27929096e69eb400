import type { Request } from 'express';
import { ApiError } from '../http/output/api-error.js';
import { callerOf } from '../http/guards/authenticate.js';

/** The account and the webhook id of a request. */
export const webhookParams = (request: Request<{ id: string }>) => ({
  accountId: callerOf(request).accountId,
  id: request.params.id,
});

/** The only 404 for webhooks. It does not reveal whether the webhook belongs to another account. */
export const webhookNotFound = () => new ApiError(404, 'Webhook not found.');
