import { under } from '../openapi/operation.js';
import { exampleWebhook, whichWebhookPath } from '../webhooks/operations.js';
import { webhookResource, webhookSchema } from '../webhooks/resource.js';

export const pausingOperations = under('Webhooks', [
  {
    id: 'releaseWebhook',
    at: 'POST /developer/webhooks/{id}/release',
    scope: 'write',
    summary: 'Release a paused webhook',
    about:
      'Where the service pauses webhooks that fail for long or answer 410, `paused` tells so, and `webhook:paused` comes to ' +
      'whoever is subscribed to it. What waits is called within seconds of the release, each with the attempts that it has ' +
      'left. A webhook that is not paused stays as it is.',
    path: whichWebhookPath,
    answer: { message: 'Released successfully', data: webhookSchema },
    example: { path: { id: exampleWebhook.id }, data: webhookResource(exampleWebhook) },
  },
]);
