import { ApiError } from '../http/output/api-error.js';

/** The only 404 for webhooks. It does not reveal whether the webhook belongs to another account. */
export const webhookNotFound = () => new ApiError(404, 'Webhook not found.');
