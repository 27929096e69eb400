import { exampleDelivery } from '../deliveries/operations.js';
import { under } from '../openapi/operation.js';
import { previewInputSchema } from './input.js';
import { previewResource, previewSchema } from './resource.js';

const { event, payload } = exampleDelivery;
const uri = 'https://example.com/callbacks?message={{id}}';
const template = { number: '{{mobile}}', parts: '{{units}}', order: '{{custom}}' };

export const previewOperations = under('Trying out', [
  {
    id: 'previewWebhook',
    at: 'POST /developer/webhooks/preview',
    scope: 'read',
    summary: 'Fill in templates',
    about:
      '`uri` and `payload` as a webhook would have them, filled in from a sample of the event or from the payload in ' +
      '`sample`. Nothing is stored and nothing is sent.',
    body: previewInputSchema,
    answer: { message: 'OK', data: previewSchema },
    example: {
      body: { event, uri, payload: template, sample: JSON.parse(payload) },
      data: previewResource({ event, uri, template, payload }),
    },
  },
]);
