import { z } from 'zod';
import { errorClasses, errorClassOf, eventNames, parseExactJson, sentRequest } from '@ringback/callbacks';
import type { Attempt, BriefAttempt, DeliveryDetail, LoggedDelivery, MessageTimeline } from '@ringback/database';
import { time, timestamp } from '../http/envelope.js';

const ended = {
  response_code: z.int().nullable().describe('The status that came back; null when none did.'),
  error: z.enum(errorClasses).nullable().describe('How the attempt failed; null when it did not.'),
};
const payload = z.unknown().meta({ type: 'object', description: 'As the platform sent it.' });
const identity = z.string().nullable();
const mobile = z.string().nullable();
const kind = z.string().describe('`scheduled`, `resend` when somebody asked for it, `test` of a test call.');

const deliveryFields = z.object({
  id: z.uuid().describe('The `X-Ringback-Delivery` of every attempt.'),
  webhook_id: z.uuid(),
  event_id: z.uuid(),
  event: z.enum(eventNames),
  message_id: z.string().nullable(),
  mobile,
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  status: z.enum(['pending', 'delivered', 'failed', 'skipped']).describe('The same as `state`.'),
  reason: z.string().nullable().describe('Why it was skipped or given up.'),
  attempt_count: z.int(),
  ...ended,
  due_at: time
    .nullable()
    .describe('When its next attempt is due. Null once it is final, and while its webhook is paused.'),
  next_attempt_at: time.nullable().describe('The same as `due_at`.'),
  paused: z.literal(true).optional().describe('Present while it waits for its webhook to be released.'),
  created_at: time,
  updated_at: time,
});
export const deliverySchema = deliveryFields.meta({ id: 'Delivery' });

const milliseconds = z.number().nullable();
export const attemptSchema = z
  .object({
    number: z.int(),
    kind,
    started_at: time,
    request: z
      .object({
        method: z.literal('POST'),
        url: z.string(),
        headers: z.record(z.string(), z.string()).nullable(),
        body: z.string().nullable(),
      })
      .describe('As it went over the wire, the token masked. Headers and body are null where they were not kept.'),
    response: z
      .object({
        code: z.int().nullable(),
        headers: z.unknown().meta({ type: ['object', 'null'] }),
        body: z.string().describe('The first KiB.'),
      })
      .nullable()
      .describe('Null when no answer came.'),
    timings: z.object({
      dns_ms: milliseconds,
      connect_ms: milliseconds,
      tls_ms: milliseconds,
      first_byte_ms: milliseconds,
      total_ms: z.number(),
    }),
    remote_address: z.string().nullable(),
    error: ended.error,
    error_code: z.string().nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Attempt' });

export const deliveryDetailSchema = deliveryFields
  .extend({
    identity,
    payload,
    received_at: time,
    attempts: z.array(attemptSchema).describe('The newest 100, oldest first.'),
  })
  .meta({ id: 'DeliveryDetail' });

const briefSchema = z
  .object({ number: z.int(), kind, started_at: time, duration_ms: z.number(), ...ended })
  .meta({ id: 'BriefAttempt' });

const messageEventSchema = z
  .object({
    id: z.uuid(),
    event: z.enum(eventNames),
    identity,
    mobile,
    state: z.enum(['routed', 'unrouted']),
    status: z.enum(['routed', 'unrouted']).describe('The same as `state`.'),
    payload,
    received_at: time,
    deliveries: z.array(deliveryFields.extend({ attempts: z.array(briefSchema) }).meta({ id: 'MessageDelivery' })),
  })
  .meta({ id: 'MessageEvent' });

export const messageSchema = z
  .object({ message_id: z.string(), events: z.array(messageEventSchema) })
  .meta({ id: 'Message' });

type Ended = { outcome: string | null; statusCode: number | null };

const endOf = (channel: LoggedDelivery['channel'], { outcome, statusCode }: Ended) => {
  const error = outcome === null ? null : errorClassOf(channel, { outcome, statusCode });
  return { response_code: statusCode, error };
};

/** A delivery as lists show it. `response_code` and `error` are those of its newest attempt. */
export const deliveryResource = (delivery: LoggedDelivery): z.infer<typeof deliverySchema> => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  event: delivery.event,
  message_id: delivery.messageId,
  mobile: delivery.mobile,
  state: delivery.state,
  status: delivery.state,
  reason: delivery.reason,
  attempt_count: delivery.attempts,
  ...endOf(delivery.channel, delivery),
  due_at: timestamp(delivery.nextAttemptAt),
  next_attempt_at: timestamp(delivery.nextAttemptAt),
  ...(delivery.paused ? { paused: true } : {}),
  created_at: timestamp(delivery.createdAt),
  updated_at: timestamp(delivery.updatedAt),
});

/** A delivery with its event's payload, and every attempt as it went over the wire. */
export const deliveryDetailResource = (delivery: DeliveryDetail): z.infer<typeof deliveryDetailSchema> => ({
  ...deliveryResource(delivery),
  identity: delivery.identity,
  payload: readPayload(delivery.payload),
  received_at: timestamp(delivery.receivedAt),
  attempts: delivery.made.map((attempt) => attemptResource(delivery, attempt)),
});

/** An event was accepted with JSON of an object as its payload. */
const readPayload = (text: string): unknown => parseExactJson(text);

type Made = Omit<Attempt, 'deliveryId'>;
type Called = Pick<DeliveryDetail, 'id' | 'event' | 'eventId' | 'webhookId' | 'payload' | 'receivedAt' | 'channel'>;

/** One call as it went over the wire. */
export function attemptResource(delivery: Called, attempt: Made): z.infer<typeof attemptSchema> {
  const isAnswered = attempt.outcome === 'response';
  return {
    number: attempt.number,
    kind: attempt.kind ?? 'scheduled',
    started_at: timestamp(attempt.startedAt),
    request: sentRequest(delivery, attempt),
    response: isAnswered
      ? { code: attempt.statusCode, headers: attempt.responseHeaders, body: attempt.answer ?? '' }
      : null,
    timings: {
      dns_ms: attempt.dnsMs,
      connect_ms: attempt.connectMs,
      tls_ms: attempt.tlsMs,
      first_byte_ms: attempt.firstByteMs,
      total_ms: attempt.durationMs,
    },
    remote_address: attempt.remoteAddress,
    error: endOf(delivery.channel, attempt).error,
    error_code: attempt.errorCode,
    warnings: attempt.warnings,
  };
}

/** What happened to a message: each of its events with its deliveries, and their attempts in brief. */
export const messageResource = (
  messageId: string,
  { events, deliveries, made }: MessageTimeline,
): z.infer<typeof messageSchema> => ({
  message_id: messageId,
  events: events.map((event) => ({
    id: event.id,
    event: event.event,
    identity: event.identity,
    mobile: event.mobile,
    state: event.state,
    status: event.state,
    payload: readPayload(event.payload),
    received_at: timestamp(event.receivedAt),
    deliveries: deliveries
      .filter(({ eventId }) => eventId === event.id)
      .map((delivery) => ({
        ...deliveryResource(delivery),
        attempts: made
          .filter(({ deliveryId }) => deliveryId === delivery.id)
          .map((attempt) => briefResource(delivery, attempt)),
      })),
  })),
});

const briefResource = ({ channel }: LoggedDelivery, attempt: BriefAttempt): z.infer<typeof briefSchema> => ({
  number: attempt.number,
  kind: attempt.kind ?? 'scheduled',
  started_at: timestamp(attempt.startedAt),
  duration_ms: attempt.durationMs,
  ...endOf(channel, attempt),
});
