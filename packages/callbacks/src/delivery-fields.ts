import { errorClassOf } from './error-class.js';
import type { Channel } from './event.js';
import type { SentRequest } from './sent-request.js';

type DeliveryInput = {
  id: string;
  webhookId: string;
  eventId: string;
  state: string;
  reason: string | null;
  attempts: number;
};

/** The fields that the API and the command line show of every delivery, with their names on the wire. */
export const deliveryFields = <T extends DeliveryInput>(delivery: T) => ({
  id: delivery.id,
  webhook_id: delivery.webhookId,
  event_id: delivery.eventId,
  state: delivery.state as T['state'],
  reason: delivery.reason,
  attempt_count: delivery.attempts,
});

type AttemptInput = {
  number: number;
  kind: string | null;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  answer: string | null;
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
  const hasResponse = outcome === 'response';
  return {
    number: attempt.number,
    // Attempts of older versions have no kind.
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
    error: errorClassOf(channel, { outcome, statusCode }),
    error_code: attempt.errorCode,
    warnings: attempt.warnings,
  };
}
