import { z } from 'zod';
import { exampleIds } from '../openapi/example-ids.js';
import { tagOperations } from '../openapi/operation.js';
import { eventCatalogue, eventKindSchema } from './catalogue.js';
import { eventsSchema } from './input.js';

export const eventOperations = tagOperations('Events', [
  {
    id: 'listEventKinds',
    route: 'GET /developer/events',
    forRestrictedSession: 'unaffected',
    scope: 'read',
    summary: 'List the kinds of events',
    description:
      'Each has the JSON Schema of its callback body and an example. Fields may be absent, and others may be present.',
    response: { message: 'OK', data: z.array(eventKindSchema) },
    example: { data: eventCatalogue() },
  },
  {
    id: 'pushEvents',
    route: 'POST /events',
    summary: 'Push events',
    description:
      'For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The response is ' +
      'sent when the events are durable, and has their ids in the same order. `account_id` may be absent when ' +
      '`webhook_id` is given. A repeated event has no further effect, so after a 503 the same request can be sent ' +
      'again. If one event is malformed, none is stored (422). An event with an unknown account or webhook is ' +
      'stored as rejected.',
    callerKind: 'platform',
    body: eventsSchema,
    response: { code: 202, message: 'Accepted', data: z.array(z.object({ id: z.uuid() })) },
    example: {
      body: {
        event: 'sms:message:status',
        account_id: exampleIds.accountId,
        webhook_id: exampleIds.webhookId,
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
