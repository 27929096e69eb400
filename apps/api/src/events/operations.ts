import { z } from 'zod';
import { under } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { eventCatalogue, eventKindSchema } from './catalogue.js';
import { eventsSchema } from './input.js';

export const eventOperations = under('Events', [
  {
    id: 'listEventKinds',
    at: 'GET /developer/events',
    scope: 'read',
    summary: 'List the kinds of events',
    about:
      'With the JSON Schema of the body of their callbacks, and a sample. Fields may be absent, and others may come.',
    answer: { message: 'OK', data: z.array(eventKindSchema) },
    example: { data: eventCatalogue() },
  },
  {
    id: 'pushEvents',
    at: 'POST /events',
    summary: 'Push events',
    about:
      'For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The answer comes once ' +
      'they are durable, with an id for each in its order. `account_id` may be absent when `webhook_id` is given. The same ' +
      'event again makes nothing new, and completes what a 503 has left undone. One that is malformed refuses the whole ' +
      'batch; one that names an unknown account or webhook is kept as rejected.',
    caller: 'platform',
    body: eventsSchema,
    answer: { code: 202, message: 'Accepted', data: z.array(z.object({ id: z.uuid() })) },
    example: {
      body: {
        event: 'sms:message:status',
        account_id: exampleWebhook.accountId,
        webhook_id: exampleWebhook.id,
        payload: {
          id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1',
          mobile: '918921269000',
          status: 'DELIVRD',
          credits: '2.0000',
          units: 2,
          deliv_time: '2026-01-15 09:32:07',
          deliv_at: '1768469527',
          custom: 'order-1042',
        },
      },
      data: [{ id: '0199f3a0-8d22-7abc-8def-0123456789ab' }],
    },
  },
]);
