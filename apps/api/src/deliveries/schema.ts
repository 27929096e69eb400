import { z } from 'zod';
import type { DeliveryDetail, LoggedDelivery, MessageTimeline } from '@ringback/ledger';
import { adviceForSkipped, deliveryFields, parseExactJson, restoreRequest } from '@ringback/rules';
import { tagOperations } from '../http/operation.js';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages.js';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { exampleWebhook } from '../webhooks/schema.js';
import {
  attemptResource,
  attemptSchema,
  briefAttemptResource,
  briefAttemptSchema,
  exampleAttempt,
  exampleDeliveryId,
  resultFields,
  resultSchema,
} from './attempt.js';
import { curlCommand } from './curl.js';
import { deliveryFilterQuery } from './filter.js';

const payload = z.unknown().meta({ type: 'object', description: 'The payload as the platform sent it.' });
/** The event of a response. It is any text for a client, because any version may add events. */
export const eventNameText = z.string().describe('The name of the event, such as `sms:message:status`.');
const identity = z.string().nullable();
const mobile = z.string().nullable();

const deliveryFieldSchemas = z.object({
  id: z.uuid().describe('The `X-Ringback-Delivery` of every attempt.'),
  webhook_id: z.uuid(),
  event_id: z.uuid(),
  event: eventNameText,
  message_id: z.string().nullable(),
  mobile,
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  reason: z.string().nullable().describe('Why the delivery was skipped or failed.'),
  attempt_count: z.int(),
  ...resultSchema,
  due_at: timestampSchema
    .nullable()
    .describe('The time of the next attempt. Null when the delivery is final, and while its webhook is paused.'),
  paused: z.literal(true).optional().describe('Present in a pending delivery while its webhook is paused.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
const deliverySchema = deliveryFieldSchemas.meta({ id: 'Delivery' });

const deliveryDetailSchema = deliveryFieldSchemas
  .extend({
    identity,
    payload,
    received_at: timestampSchema,
    attempts: z.array(attemptSchema).describe('The newest 100, oldest first.'),
  })
  .meta({ id: 'DeliveryDetail' });

const messageEventSchema = z
  .object({
    id: z.uuid(),
    event: eventNameText,
    identity,
    mobile,
    state: z.enum(['routed', 'unrouted']),
    payload,
    received_at: timestampSchema,
    deliveries: z.array(
      deliveryFieldSchemas.extend({ attempts: z.array(briefAttemptSchema) }).meta({ id: 'MessageDelivery' }),
    ),
  })
  .meta({ id: 'MessageEvent' });

const messageSchema = z
  .object({
    message_id: z.string(),
    events: z.array(messageEventSchema),
    other_installation: z
      .string()
      .optional()
      .describe(
        'Absent unless the account has moved: the URL of the installation that has the other half of its history, and ' +
          'perhaps other events of this message.',
      ),
  })
  .meta({ id: 'Message' });

/**
 * A delivery as lists show it. `response_code` and `error` are those of the newest attempt, and so is `advice` unless
 * the delivery was skipped.
 */
export const deliveryResource = (delivery: LoggedDelivery): z.infer<typeof deliverySchema> => ({
  ...deliveryFields(delivery),
  event: delivery.eventName,
  message_id: delivery.messageId,
  mobile: delivery.mobile,
  ...resultFields(delivery.channel, { ...delivery, advice: adviceForSkipped(delivery.reason) ?? delivery.advice }),
  due_at: formatTimestamp(delivery.dueAt),
  ...(delivery.isPaused ? { paused: true } : {}),
  created_at: formatTimestamp(delivery.createdAt),
  updated_at: formatTimestamp(delivery.updatedAt),
});

/** A delivery with its event's payload and with its attempts. */
export const deliveryDetailResource = (delivery: DeliveryDetail): z.infer<typeof deliveryDetailSchema> => ({
  ...deliveryResource(delivery),
  identity: delivery.identity,
  payload: parseExactJson(delivery.payload),
  received_at: formatTimestamp(delivery.receivedAt),
  attempts: delivery.attempts.map((attempt) => attemptResource(delivery, attempt)),
});

/**
 * The timeline of a message: its events, their deliveries, and the deliveries' attempts without requests and responses.
 */
export const messageResource = (
  messageId: string,
  { events, deliveries, attempts, otherInstallation }: MessageTimeline,
): z.infer<typeof messageSchema> => ({
  message_id: messageId,
  events: events.map((event) => ({
    id: event.id,
    event: event.name,
    identity: event.identity,
    mobile: event.mobile,
    state: event.state,
    payload: parseExactJson(event.payload),
    received_at: formatTimestamp(event.receivedAt),
    deliveries: deliveries
      .filter(({ eventId }) => eventId === event.id)
      .map((delivery) => ({
        ...deliveryResource(delivery),
        attempts: attempts
          .filter(({ deliveryId }) => deliveryId === delivery.id)
          .map((attempt) => briefAttemptResource(delivery, attempt)),
      })),
  })),
  ...(otherInstallation === null ? {} : { other_installation: otherInstallation }),
});

/** The delivery that all examples show, with its event and its attempt. */
export const exampleDelivery: DeliveryDetail = {
  id: exampleDeliveryId,
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
  advice: null,
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

const deliveryPath = { id: z.uuid().describe('The id of a delivery of the account.') };
const path = { id: exampleDeliveryId };
const messageId = exampleDelivery.messageId ?? '';
const exampleMessage = {
  events: [
    { ...exampleDelivery, id: exampleDelivery.eventId, name: exampleDelivery.eventName, state: 'routed' as const },
  ],
  deliveries: [exampleDelivery],
  attempts: exampleDelivery.attempts,
  otherInstallation: null,
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
      'The command is for a POSIX shell and takes the token from `WEBHOOK_TOKEN`. 409 when the request was not ' +
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
