import type { Request } from 'express';
import { callerOf } from '../http/guards/authenticate.js';

/** The account and the webhook id of a request. */
export const webhookParams = (request: Request<{ id: string }>) => ({
  accountId: callerOf(request).accountId,
  id: request.params.id,
});
