import { exampleDelivery } from '../deliveries/operations.js';
import { tagOperations } from '../openapi/operation.js';
import { previewInputSchema } from './input.js';
import { previewResource, previewSchema } from './resource.js';

const { eventName, payload } = exampleDelivery;
const uri = 'https://example.com/callbacks?message={{id}}';
const bodyTemplate = { number: '{{mobile}}', parts: '{{units}}', order: '{{custom}}' };

export const previewOperations = tagOperations('Trying out', [
  {
    id: 'previewWebhook',
    route: 'POST /developer/webhooks/preview',
    forRestrictedSession: 'unaffected',
    scope: 'read',
    summary: 'Render templates',
    description:
      'Renders `uri` and `payload` as a webhook would, with an example of the event or with the payload in `sample`. ' +
      'Nothing is stored or sent.',
    body: previewInputSchema,
    response: { message: 'OK', data: previewSchema },
    example: {
      body: { event: eventName, uri, payload: bodyTemplate, sample: JSON.parse(payload) },
      data: previewResource({ event: eventName, uri, bodyTemplate, payload }),
    },
  },
]);
