import { type ErrorClass, errorClassOf, sentRequest } from '@ringback/callbacks';
import type { Attempt, BriefAttempt, DeliveryDetail, LoggedDelivery, MessageTimeline } from '@ringback/database';
import { timestamp } from '../http/envelope.js';

type Ended = { outcome: string | null; statusCode: number | null };

const endOf = (channel: LoggedDelivery['channel'], { outcome, statusCode }: Ended) => {
  const error: ErrorClass | null = outcome === null ? null : errorClassOf(channel, { outcome, statusCode });
  return { response_code: statusCode, error };
};

/** A delivery as lists show it. `response_code` and `error` are those of its newest attempt. */
export const deliveryResource = (delivery: LoggedDelivery) => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  event: delivery.event,
  message_id: delivery.messageId,
  mobile: delivery.mobile,
  status: delivery.state,
  reason: delivery.reason,
  attempt_count: delivery.attempts,
  ...endOf(delivery.channel, delivery),
  next_attempt_at: timestamp(delivery.nextAttemptAt),
  created_at: timestamp(delivery.createdAt),
  updated_at: timestamp(delivery.updatedAt),
});

/** A delivery with its event's payload, and every attempt as it went over the wire. */
export const deliveryDetailResource = (delivery: DeliveryDetail) => ({
  ...deliveryResource(delivery),
  identity: delivery.identity,
  payload: readPayload(delivery.payload),
  received_at: timestamp(delivery.receivedAt),
  attempts: delivery.made.map((attempt) => attemptResource(delivery, attempt)),
});

/** An event was accepted with JSON of an object as its payload. */
const readPayload = (text: string): unknown => JSON.parse(text);

function attemptResource(delivery: DeliveryDetail, attempt: Attempt) {
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
export const messageResource = (messageId: string, { events, deliveries, made }: MessageTimeline) => ({
  message_id: messageId,
  events: events.map((event) => ({
    id: event.id,
    event: event.event,
    identity: event.identity,
    mobile: event.mobile,
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

const briefResource = ({ channel }: LoggedDelivery, attempt: BriefAttempt) => ({
  number: attempt.number,
  kind: attempt.kind ?? 'scheduled',
  started_at: timestamp(attempt.startedAt),
  duration_ms: attempt.durationMs,
  ...endOf(channel, attempt),
});
