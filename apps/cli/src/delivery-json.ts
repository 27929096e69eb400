import { errorClassOf, type SentRequest } from '@ringback/callbacks';
import type { Attempt, Delivery, DeliveryDetail } from '@ringback/database';

type DeliveryJson = {
  id: string;
  webhook_id: string;
  event_id: string;
  state: string;
  reason: string | null;
  attempt_count: number;
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** Formats a delivery with the field names of the management API. */
export const deliveryJson = (delivery: Delivery | DeliveryDetail): DeliveryJson => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  state: delivery.state,
  reason: delivery.reason,
  attempt_count: delivery.attempts,
  due_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
  updated_at: delivery.updatedAt,
});

type WithChannel = { channel: string };
type AttemptFields = Omit<Attempt, 'deliveryId'>;

/** Formats an attempt with the field names of the management API. By default the request has no headers and no body. */
export function attemptJson(
  { channel }: WithChannel,
  attempt: AttemptFields,
  request: Pick<SentRequest, 'method' | 'url'> = { method: 'POST', url: attempt.url },
) {
  const { statusCode, outcome } = attempt;
  const knownChannel = channel === 'rcs' ? 'rcs' : 'sms';
  const hasResponse = outcome === 'response';
  return {
    number: attempt.number,
    kind: attempt.kind ?? 'scheduled',
    started_at: attempt.startedAt,
    request,
    response: hasResponse ? { code: statusCode, headers: attempt.responseHeaders, body: attempt.answer ?? '' } : null,
    timings: {
      dns_ms: attempt.dnsMs,
      connect_ms: attempt.connectMs,
      tls_ms: attempt.tlsMs,
      first_byte_ms: attempt.firstByteMs,
      total_ms: attempt.durationMs,
    },
    remote_address: attempt.remoteAddress,
    error: errorClassOf(knownChannel, { outcome, statusCode }),
    error_code: attempt.errorCode,
    warnings: attempt.warnings,
  };
}
