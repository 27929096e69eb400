import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { webhookResource, webhookSchema } from '../webhooks/resource.js';

export const pausingOperations = tagOperations('Webhooks', [
  {
    id: 'releaseWebhook',
    route: 'POST /developer/webhooks/{id}/release',
    scope: 'write',
    summary: 'End the pause of a webhook',
    description:
      'The service may be configured to pause webhooks that fail for a long time or respond with 410. A paused webhook has ' +
      'the field `paused`, and the account gets the event `webhook:paused` if it subscribes to it. After the pause, the ' +
      'waiting deliveries are sent within seconds, with their remaining attempts. A webhook that is not paused does not ' +
      'change.',
    path: webhookPath,
    response: { message: 'Released successfully', data: webhookSchema },
    example: { path: { id: exampleWebhook.id }, data: webhookResource(exampleWebhook) },
  },
]);
