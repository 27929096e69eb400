import { errorClassOf } from './verdict.js';
import type { Channel } from './event.js';
import type { SentRequest } from './callback.js';

type DeliveryInput = {
  id: string;
  webhookId: string;
  eventId: string;
  state: string;
  reason: string | null;
  attemptCount: number;
};

/** The fields of a delivery that both the API and the command line show, with their names on the wire. */
export const deliveryFields = <T extends DeliveryInput>(delivery: T) => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  state: delivery.state as T['state'],
  reason: delivery.reason,
  attempt_count: delivery.attemptCount,
});

type AttemptInput = {
  number: number;
  kind: string | null;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  advice: string | null;
  responseBody: string | null;
  warnings: string[];
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  remoteAddress: string | null;
  responseHeaders: unknown;
};

/** The fields that the API and the command line show of an attempt, with their names on the wire. */
export function attemptFields<R extends Pick<SentRequest, 'method' | 'url'>>(
  channel: Channel,
  attempt: AttemptInput,
  request: R,
) {
  const { outcome, statusCode } = attempt;
  const response = { code: statusCode, headers: attempt.responseHeaders, body: attempt.responseBody ?? '' };
  return {
    number: attempt.number,
    // The column takes null, but Ringback always records a kind.
    kind: attempt.kind ?? 'scheduled',
    started_at: attempt.startedAt,
    request,
    response: outcome === 'response' ? response : null,
    timings: {
      dns_ms: attempt.dnsMs,
      connect_ms: attempt.connectMs,
      tls_ms: attempt.tlsMs,
      first_byte_ms: attempt.firstByteMs,
      total_ms: attempt.durationMs,
    },
    remote_address: attempt.remoteAddress,
    error: errorClassOf(channel, { outcome, statusCode }),
    error_code: attempt.errorCode,
    ...(attempt.advice === null ? {} : { advice: attempt.advice }),
    warnings: attempt.warnings,
  };
}

/** What became of an attempt, or of a delivery that ended. */
export type DeliveryOutcome = {
  type: 'attempt' | 'delivery';
  /** When the attempt ended, or the delivery. */
  at: Date;
  accountId: string;
  externalId: string | null;
  webhookId: string;
  /** Null if the event's row is gone. */
  event: string | null;
  eventId: string;
  platformEventId: string | null;
  messageId: string | null;
  deliveryId: string;
  /** Null for a delivery that ended without an attempt, as are `outcome`, `statusCode` and `durationMs`. */
  attemptNumber: number | null;
  /** Of an attempt: what it alone means for its delivery, `pending` if a retry follows. Of a delivery: its state. */
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  outcome: string | null;
  statusCode: number | null;
  durationMs: number | null;
};

/** What became of an attempt or a delivery, but its cursor, as the API and the command line show it. */
export const outcomeFields = (row: DeliveryOutcome) => ({
  type: row.type,
  at: row.at.toISOString().replace('Z', '000Z'),
  account_id: row.accountId,
  external_id: row.externalId,
  webhook_id: row.webhookId,
  event: row.event,
  event_id: row.eventId,
  platform_event_id: row.platformEventId,
  message_id: row.messageId,
  delivery_id: row.deliveryId,
  attempt_number: row.attemptNumber,
  state: row.state,
  outcome: row.outcome,
  response_code: row.statusCode,
  duration_ms: row.durationMs,
});
