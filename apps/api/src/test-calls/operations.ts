import type { TestCallAttempt } from '@ringback/ledger';
import { exampleAttempt, exampleDelivery } from '../deliveries/operations.js';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { newTestCallSchema } from './input.js';
import { testCallResource, testCallSchema } from './resource.js';

const { eventName, payload } = exampleDelivery;
const { deliveryId: _deliveryId, number: _number, kind: _kind, ...attempt } = exampleAttempt;

/** The attempt that the example of a test call shows. */
export const exampleTestCallAttempt: TestCallAttempt = {
  ...attempt,
  requestHeaders: { 'User-Agent': 'Ringback/1.2.3', 'X-Ringback-Test': 'true' },
  responseHeaders: { 'content-type': 'text/plain' },
};

const example = {
  id: '0199f3a0-af44-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  event: eventName,
  payload,
  createdAt: new Date('2026-01-15T09:32:08Z'),
  attempt: exampleTestCallAttempt,
};

export const testCallOperations = tagOperations('Trying out', [
  {
    id: 'testWebhook',
    route: 'POST /developer/webhooks/{id}/test',
    scope: 'write',
    summary: 'Send a test call to a webhook',
    description:
      'A worker sends the test call at once, with an example of the event or with the `payload` of the request. ' +
      'The test call is like a callback, but it is sent only once and carries `X-Ringback-Test: true`. The ' +
      'response has the complete attempt, even if it failed (`attempt.error`). An inactive webhook gets test ' +
      'calls too. The delivery log does not contain test calls. 409 when the service requires verification and ' +
      'this webhook has not passed it, or when a secret of the webhook cannot be decrypted. 503 when no worker ' +
      'starts the test call in time, so that nothing is sent, or when a worker started it but does not report the ' +
      'result in time.',
    path: webhookPath,
    body: newTestCallSchema,
    response: { message: 'OK', data: testCallSchema },
    errors: [409, 503],
    example: {
      path: { id: exampleWebhook.id },
      body: { event: eventName, payload: JSON.parse(payload) },
      data: testCallResource(example),
    },
  },
]);
