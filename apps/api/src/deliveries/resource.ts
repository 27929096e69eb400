import type { z } from 'zod';
import { attemptFields, deliveryFields, errorClassOf, parseExactJson, restoreRequest } from '@ringback/rules';
import type { Attempt, BriefAttempt, DeliveryDetail, LoggedDelivery, MessageTimeline } from '@ringback/ledger';
import { formatTimestamp } from '../http/output/timestamp.js';
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
  event: delivery.eventName,
  message_id: delivery.messageId,
  mobile: delivery.mobile,
  status: delivery.state,
  ...resultFields(delivery.channel, delivery),
  due_at: formatTimestamp(delivery.dueAt),
  next_attempt_at: formatTimestamp(delivery.dueAt),
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

type AttemptContext = Pick<
  DeliveryDetail,
  'id' | 'eventName' | 'eventId' | 'webhookId' | 'payload' | 'receivedAt' | 'channel'
>;

/** An attempt with its request as it was sent, except that the token is masked, and with its response. */
export const attemptResource = (
  delivery: AttemptContext,
  attempt: Omit<Attempt, 'deliveryId' | 'verdict'>,
): z.infer<typeof attemptSchema> => ({
  ...attemptFields(delivery.channel, attempt, restoreRequest(delivery, attempt)),
  started_at: formatTimestamp(attempt.startedAt),
});

/**
 * The timeline of a message: its events, their deliveries, and the deliveries' attempts without requests and responses.
 */
export const messageResource = (
  messageId: string,
  { events, deliveries, attempts }: MessageTimeline,
): z.infer<typeof messageSchema> => ({
  message_id: messageId,
  events: events.map((event) => ({
    id: event.id,
    event: event.name,
    identity: event.identity,
    mobile: event.mobile,
    state: event.state,
    status: event.state,
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
});

const briefAttemptResource = (
  { channel }: LoggedDelivery,
  attempt: BriefAttempt,
): z.infer<typeof briefAttemptSchema> => ({
  number: attempt.number,
  kind: attempt.kind ?? 'scheduled',
  started_at: formatTimestamp(attempt.startedAt),
  duration_ms: attempt.durationMs,
  ...resultFields(channel, attempt),
});
