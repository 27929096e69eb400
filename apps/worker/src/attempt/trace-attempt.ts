import type { Tracer } from '@ringback/process';
import type { AttemptSummary } from './attempt-summary.js';

/** Records an attempt as a span in its event's trace, without urls, addresses, bodies or headers. */
export function traceAttempt(tracer: Tracer, attempt: AttemptSummary): void {
  const { eventId, outcome, verdict, durationMs, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  tracer.record({
    eventId,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + durationMs,
    hasFailed: verdict !== 'delivered',
    attributes: {
      'ringback.delivery_id': attempt.deliveryId,
      'ringback.event_id': eventId,
      'ringback.webhook_id': attempt.webhookId,
      'ringback.account_id': attempt.accountId,
      'ringback.channel': attempt.channel,
      'ringback.verdict': verdict,
      'ringback.attempt': attempt.attemptNumber,
      ...result,
    },
  });
}
