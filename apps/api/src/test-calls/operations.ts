import type { TestAttempt } from '@ringback/database';
import { exampleAttempt, exampleDelivery } from '../deliveries/operations.js';
import { under } from '../openapi/operation.js';
import { exampleWebhook, whichWebhookPath } from '../webhooks/operations.js';
import { newTestCallSchema } from './input.js';
import { testCallResource, testCallSchema } from './resource.js';

const { event, payload } = exampleDelivery;
const { deliveryId: _whose, number: _only, kind: _test, ...call } = exampleAttempt;

/** How the call of the example went. */
export const exampleTestAttempt: TestAttempt = {
  ...call,
  requestHeaders: { 'User-Agent': 'Ringback/1.2.3', 'X-Ringback-Test': 'true' },
  responseHeaders: { 'content-type': 'text/plain' },
};

const example = {
  id: '0199f3a0-af44-7abc-8def-0123456789ab',
  webhookId: exampleWebhook.id,
  event,
  payload,
  createdAt: new Date('2026-01-15T09:32:08Z'),
  attempt: exampleTestAttempt,
};

export const testCallOperations = under('Trying out', [
  {
    id: 'testWebhook',
    at: 'POST /developer/webhooks/{id}/test',
    scope: 'write',
    summary: 'Call a webhook for a test',
    about:
      'A worker calls the webhook at once, with a sample of the event or with the `payload` of the request, as it would ' +
      'for an event, but once and with `X-Ringback-Test: true`. The answer has the attempt in full, whether it was ' +
      'successful or not (`attempt.error`). A webhook that is inactive is called, too. Nothing of this is in the ' +
      'delivery log. 409 when unverified webhooks are not called here; 503 when no worker is there in time, which then ' +
      'sends nothing.',
    path: whichWebhookPath,
    body: newTestCallSchema,
    answer: { message: 'OK', data: testCallSchema },
    errors: [409, 503],
    example: {
      path: { id: exampleWebhook.id },
      body: { event, payload: JSON.parse(payload) },
      data: testCallResource(example),
    },
  },
]);
