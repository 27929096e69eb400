import { type Operation, tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { webhookResource, webhookSchema } from '../webhooks/resource.js';

/** By the last part of each path that ends a pause: the message of its response. `release` is the old path. */
export const resumeMessages = { resume: 'Resumed successfully', release: 'Released successfully' };

const common = {
  scope: 'write',
  hasEtag: true,
  path: webhookPath,
  example: { path: { id: exampleWebhook.id }, data: webhookResource(exampleWebhook) },
} satisfies Partial<Operation>;

export const pausingOperations = tagOperations('Webhooks', [
  {
    ...common,
    id: 'resumeWebhook',
    route: 'POST /developer/webhooks/{id}/resume',
    summary: 'End the pause of a webhook',
    description:
      'The service may be configured to pause webhooks that fail for a long time or respond with 410. A paused ' +
      'webhook has the field `paused`, and webhooks that subscribe to `webhook:paused` get this event. After the ' +
      'pause, the waiting deliveries are sent within seconds, with their remaining attempts. A webhook that is ' +
      'not paused does not change.',
    response: { message: resumeMessages.resume, data: webhookSchema },
  },
  {
    ...common,
    id: 'releaseWebhook',
    route: 'POST /developer/webhooks/{id}/release',
    summary: 'End the pause of a webhook (old path)',
    description: 'Does the same as `resume`, with another message.',
    isDeprecated: true,
    response: { message: resumeMessages.release, data: webhookSchema },
  },
]);
