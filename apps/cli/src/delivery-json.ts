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

/** A delivery with the field names of the management API. */
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

type Called = { channel: string };
type Made = Omit<Attempt, 'deliveryId'>;

/** An attempt with the field names of the management API. Only a request that was read with its event has headers. */
export function attemptJson(
  { channel }: Called,
  attempt: Made,
  request: Pick<SentRequest, 'method' | 'url'> = { method: 'POST', url: attempt.url },
) {
  const { statusCode, outcome } = attempt;
  const known = channel === 'rcs' ? 'rcs' : 'sms';
  const isAnswered = outcome === 'response';
  return {
    number: attempt.number,
    kind: attempt.kind ?? 'scheduled',
    started_at: attempt.startedAt,
    request,
    response: isAnswered ? { code: statusCode, headers: attempt.responseHeaders, body: attempt.answer ?? '' } : null,
    timings: {
      dns_ms: attempt.dnsMs,
      connect_ms: attempt.connectMs,
      tls_ms: attempt.tlsMs,
      first_byte_ms: attempt.firstByteMs,
      total_ms: attempt.durationMs,
    },
    remote_address: attempt.remoteAddress,
    error: errorClassOf(known, { outcome, statusCode }),
    error_code: attempt.errorCode,
    warnings: attempt.warnings,
  };
}
