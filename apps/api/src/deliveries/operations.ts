import { z } from 'zod';
import type { DeliveryDetail } from '@ringback/database';
import { cursorFields, cursorQuery, exampleCursorPage } from '../http/cursor-page.js';
import { under } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { sentRequest } from '@ringback/callbacks';
import { curlCommand } from './curl.js';
import { deliveryFilterQuery } from './filter.js';
import {
  deliveryDetailResource,
  deliveryDetailSchema,
  deliveryResource,
  deliverySchema,
  messageResource,
  messageSchema,
} from './resource.js';

const id = '0199f3a0-9e33-7abc-8def-0123456789ab';

/** The attempt of the examples. */
export const exampleAttempt: DeliveryDetail['made'][number] = {
  deliveryId: id,
  number: 1,
  startedAt: new Date('2026-01-15T09:32:08Z'),
  durationMs: 42,
  outcome: 'response',
  statusCode: 200,
  errorCode: null,
  url: exampleWebhook.uri,
  answer: 'thanks',
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
};

/** The delivery of the examples, with its event and its attempt. */
export const exampleDelivery: DeliveryDetail = {
  id,
  webhookId: exampleWebhook.id,
  eventId: '0199f3a0-8d22-7abc-8def-0123456789ab',
  event: 'sms:message:status',
  messageId: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1',
  mobile: '918921269000',
  channel: 'sms',
  state: 'delivered',
  reason: null,
  attempts: 1,
  outcome: exampleAttempt.outcome,
  statusCode: exampleAttempt.statusCode,
  nextAttemptAt: null,
  paused: false,
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
  made: [exampleAttempt],
};

export const whichDeliveryPath = { id: z.uuid().describe('The id of a delivery of the account.') };
const path = { id };
const messageId = exampleDelivery.messageId ?? '';
const exampleMessage = {
  events: [{ ...exampleDelivery, id: exampleDelivery.eventId, state: 'routed' as const }],
  deliveries: [exampleDelivery],
  made: exampleDelivery.made,
};

export const deliveryOperations = under('Deliveries', [
  {
    id: 'listDeliveries',
    at: 'GET /developer/deliveries',
    search: true,
    scope: 'read',
    summary: 'List deliveries',
    about:
      'Newest first. Filters hold together; an empty one is none, one that does not exist is a 400. A page may have fewer ' +
      'deliveries than `per_page` although there is a next one.',
    query: { ...cursorQuery, ...deliveryFilterQuery },
    answer: { message: 'OK', data: z.array(deliverySchema), more: cursorFields },
    errors: [422],
    example: { data: [deliveryResource(exampleDelivery)], more: exampleCursorPage('/developer/deliveries') },
  },
  {
    id: 'showDelivery',
    at: 'GET /developer/deliveries/{id}',
    scope: 'read',
    summary: 'Show a delivery',
    about: 'With its event, and its attempts as they went over the wire.',
    path: whichDeliveryPath,
    answer: { message: 'OK', data: deliveryDetailSchema },
    example: { path, data: deliveryDetailResource(exampleDelivery) },
  },
  {
    id: 'getDeliveryCurl',
    at: 'GET /developer/deliveries/{id}/curl',
    scope: 'read',
    summary: 'Show the newest request of a delivery as a curl command',
    about: 'For a POSIX shell; the token is taken from `RINGBACK_TOKEN`. 409 when the request was not kept.',
    path: whichDeliveryPath,
    answer: { message: 'OK', data: z.object({ command: z.string() }) },
    errors: [409],
    example: { path, data: { command: curlCommand(sentRequest(exampleDelivery, exampleAttempt)) } },
  },
  {
    id: 'resendDelivery',
    at: 'POST /developer/deliveries/{id}/resend',
    scope: 'replay',
    summary: 'Send a delivery again',
    about:
      'One that is final gets one more attempt, without retries; one that is pending gets its next attempt now. 409 when ' +
      'the webhook is inactive or deleted.',
    path: whichDeliveryPath,
    answer: { message: 'Resend started', data: deliveryDetailSchema },
    errors: [409],
    example: {
      path,
      data: deliveryDetailResource({
        ...exampleDelivery,
        state: 'pending',
        nextAttemptAt: new Date('2026-01-15T09:40:00Z'),
      }),
    },
  },
  {
    id: 'showMessage',
    at: 'GET /developer/messages/{message_id}',
    search: true,
    scope: 'read',
    summary: 'Show what happened to a message',
    about: 'Its first 200 events, their deliveries and the attempts of those, each oldest first.',
    path: { message_id: z.string().describe('The `payload.id` of its events.') },
    answer: { message: 'OK', data: messageSchema },
    example: { path: { message_id: messageId }, data: messageResource(messageId, exampleMessage) },
  },
]);
