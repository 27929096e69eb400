import { z } from 'zod';
import type { DeliveryDetail } from '@ringback/ledger';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages/cursor-page.js';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { restoreRequest } from '@ringback/rules';
import { curlCommand } from './curl.js';
import { deliveryFilterQuery } from './filter.js';
import { deliveryDetailResource, deliveryResource, messageResource } from './resource.js';
import { deliveryDetailSchema, deliverySchema, messageSchema } from './schema.js';

const id = '0199f3a0-9e33-7abc-8def-0123456789ab';

/** The attempt that the examples of deliveries show. */
export const exampleAttempt: DeliveryDetail['attempts'][number] = {
  deliveryId: id,
  number: 1,
  startedAt: new Date('2026-01-15T09:32:08Z'),
  durationMs: 42,
  outcome: 'response',
  statusCode: 200,
  errorCode: null,
  url: exampleWebhook.uri,
  responseBody: 'thanks',
  warnings: [],
  kind: 'scheduled',
  dnsMs: 1,
  connectMs: 2,
  tlsMs: 3,
  firstByteMs: 30,
  remoteAddress: '203.0.113.7',
  requestHeaders: { 'User-Agent': 'Ringback/1.2.3' },
  requestBody: null,
  responseHeaders: { 'content-type': 'text/plain' },
  verdict: 'delivered',
};

/** The delivery that all examples show, with its event and its attempt. */
export const exampleDelivery: DeliveryDetail = {
  id,
  webhookId: exampleWebhook.id,
  eventId: '0199f3a0-8d22-7abc-8def-0123456789ab',
  eventName: 'sms:message:status',
  messageId: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1',
  mobile: '918921269000',
  channel: 'sms',
  state: 'delivered',
  reason: null,
  attemptCount: 1,
  outcome: exampleAttempt.outcome,
  statusCode: exampleAttempt.statusCode,
  dueAt: null,
  isPaused: false,
  createdAt: new Date('2026-01-15T09:32:07Z'),
  updatedAt: new Date('2026-01-15T09:32:08Z'),
  identity: null,
  payload: JSON.stringify({
    id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1',
    mobile: '918921269000',
    status: 'DELIVRD',
    units: 2,
  }),
  receivedAt: new Date('2026-01-15T09:32:07Z'),
  attempts: [exampleAttempt],
};

export const deliveryPath = { id: z.uuid().describe('The id of a delivery of the account.') };
const path = { id };
const messageId = exampleDelivery.messageId ?? '';
const exampleMessage = {
  events: [
    { ...exampleDelivery, id: exampleDelivery.eventId, name: exampleDelivery.eventName, state: 'routed' as const },
  ],
  deliveries: [exampleDelivery],
  attempts: exampleDelivery.attempts,
};

export const deliveryOperations = tagOperations('Deliveries', [
  {
    id: 'listDeliveries',
    route: 'GET /developer/deliveries',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List deliveries',
    description:
      'Newest first. A delivery must match all filters; an empty filter is ignored, an unknown one gets a 400. A ' +
      'page may have fewer deliveries than `per_page` although there is a next page.',
    query: { ...cursorQuery, ...deliveryFilterQuery },
    response: { message: 'OK', data: z.array(deliverySchema), extraFields: cursorPageSchemas },
    errors: [422],
    example: { data: [deliveryResource(exampleDelivery)], extraFields: exampleCursorPage('/developer/deliveries') },
  },
  {
    id: 'showDelivery',
    route: 'GET /developer/deliveries/{id}',
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show a delivery',
    description: 'With its event, and with the requests and responses of its attempts.',
    path: deliveryPath,
    response: { message: 'OK', data: deliveryDetailSchema },
    example: { path, data: deliveryDetailResource(exampleDelivery) },
  },
  {
    id: 'getDeliveryCurl',
    route: 'GET /developer/deliveries/{id}/curl',
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show the newest request of a delivery as a curl command',
    description:
      'The command is for a POSIX shell and takes the token from `RINGBACK_TOKEN`. 409 when the request was not ' +
      'stored.',
    path: deliveryPath,
    response: { message: 'OK', data: z.object({ command: z.string() }) },
    errors: [409],
    example: { path, data: { command: curlCommand(restoreRequest(exampleDelivery, exampleAttempt)) } },
  },
  {
    id: 'resendDelivery',
    route: 'POST /developer/deliveries/{id}/resend',
    forRestrictedSession: 'filters',
    scope: 'replay',
    summary: 'Send a delivery again',
    description:
      'A final delivery gets one more attempt, without retries; a pending one gets its next attempt now. 409 when ' +
      'the webhook is inactive or deleted.',
    path: deliveryPath,
    response: { message: 'Resend started', data: deliveryDetailSchema },
    errors: [409],
    example: {
      path,
      data: deliveryDetailResource({
        ...exampleDelivery,
        state: 'pending',
        dueAt: new Date('2026-01-15T09:40:00Z'),
      }),
    },
  },
  {
    id: 'showMessage',
    route: 'GET /developer/messages/{message_id}',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'Show what happened to a message',
    description:
      'The first 200 events of the message, their deliveries, and the attempts of those deliveries, each oldest ' +
      'first. Rejected events are left out.',
    path: { message_id: z.string().describe('The `payload.id` of the events of the message.') },
    response: { message: 'OK', data: messageSchema },
    example: { path: { message_id: messageId }, data: messageResource(messageId, exampleMessage) },
  },
]);
