import type { z } from 'zod';
import { attemptFields, deliveryFields, errorClassOf, parseExactJson, sentRequest } from '@ringback/callbacks';
import type { Attempt, BriefAttempt, DeliveryDetail, LoggedDelivery, MessageTimeline } from '@ringback/database';
import { timestamp } from '../http/timestamp.js';
import type {
  attemptSchema,
  briefAttemptSchema,
  deliveryDetailSchema,
  deliverySchema,
  messageSchema,
} from './schema.js';

type Result = { outcome: string | null; statusCode: number | null };

const resultFields = (channel: LoggedDelivery['channel'], { outcome, statusCode }: Result) => {
  const error = outcome === null ? null : errorClassOf(channel, { outcome, statusCode });
  return { response_code: statusCode, error };
};

/** A delivery as lists show it. `response_code` and `error` are those of the newest attempt. */
export const deliveryResource = (delivery: LoggedDelivery): z.infer<typeof deliverySchema> => ({
  ...deliveryFields(delivery),
  event: delivery.event,
  message_id: delivery.messageId,
  mobile: delivery.mobile,
  status: delivery.state,
  ...resultFields(delivery.channel, delivery),
  due_at: timestamp(delivery.nextAttemptAt),
  next_attempt_at: timestamp(delivery.nextAttemptAt),
  ...(delivery.paused ? { paused: true } : {}),
  created_at: timestamp(delivery.createdAt),
  updated_at: timestamp(delivery.updatedAt),
});

/** A delivery with its event's payload and with its attempts. */
export const deliveryDetailResource = (delivery: DeliveryDetail): z.infer<typeof deliveryDetailSchema> => ({
  ...deliveryResource(delivery),
  identity: delivery.identity,
  payload: parseExactJson(delivery.payload),
  received_at: timestamp(delivery.receivedAt),
  attempts: delivery.attemptRecords.map((attempt) => attemptResource(delivery, attempt)),
});

type AttemptContext = Pick<
  DeliveryDetail,
  'id' | 'event' | 'eventId' | 'webhookId' | 'payload' | 'receivedAt' | 'channel'
>;

/** An attempt with its request as it was sent, and its response. */
export const attemptResource = (
  delivery: AttemptContext,
  attempt: Omit<Attempt, 'deliveryId' | 'verdict'>,
): z.infer<typeof attemptSchema> => ({
  ...attemptFields(delivery.channel, attempt, sentRequest(delivery, attempt)),
  started_at: timestamp(attempt.startedAt),
});

/**
 * The timeline of a message: its events, their deliveries, and the deliveries' attempts without requests and responses.
 */
export const messageResource = (
  messageId: string,
  { events, deliveries, attemptRecords }: MessageTimeline,
): z.infer<typeof messageSchema> => ({
  message_id: messageId,
  events: events.map((event) => ({
    id: event.id,
    event: event.event,
    identity: event.identity,
    mobile: event.mobile,
    state: event.state,
    status: event.state,
    payload: parseExactJson(event.payload),
    received_at: timestamp(event.receivedAt),
    deliveries: deliveries
      .filter(({ eventId }) => eventId === event.id)
      .map((delivery) => ({
        ...deliveryResource(delivery),
        attempts: attemptRecords
          .filter(({ deliveryId }) => deliveryId === delivery.id)
          .map((attempt) => briefAttemptResource(delivery, attempt)),
      })),
  })),
});

const briefAttemptResource = (
  { channel }: LoggedDelivery,
  attempt: BriefAttempt,
): z.infer<typeof briefAttemptSchema> => ({
  number: attempt.number,
  kind: attempt.kind ?? 'scheduled',
  started_at: timestamp(attempt.startedAt),
  duration_ms: attempt.durationMs,
  ...resultFields(channel, attempt),
});
