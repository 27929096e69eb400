import type { Outcome, Verdict } from '@ringback/rules';
import type { DeliveryTask } from '@ringback/ledger';
import type { Logger, Tracer } from '@ringback/process';
import type { WorkerMetrics } from './metrics.js';

/** What logs, metrics and traces say of an attempt. */
export type ReportedAttempt = {
  attemptNumber: number;
  /** When the attempt started, by this machine's clock. */
  startedAt: Date;
  outcome: Outcome;
  durationMs: number;
  verdict: Verdict['type'];
  isRecorded: boolean;
};

export type ReportDeps = {
  log: Logger;
  metrics: Pick<WorkerMetrics, 'observeAttempt'>;
  /** Undefined when tracing is off. */
  tracer: Tracer | undefined;
};

/** Logs, counts and traces an attempt. */
export function reportAttempt(
  { log, metrics, tracer }: ReportDeps,
  task: DeliveryTask,
  attempt: ReportedAttempt,
): void {
  logAttempt(log, task, attempt);
  metrics.observeAttempt({ ...attempt, channel: task.channel, receivedAt: task.receivedAt });
  if (tracer) traceAttempt(tracer, task, attempt);
}

/** The ids that each log line of a delivery has. */
export const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function logAttempt(
  log: Logger,
  task: DeliveryTask,
  { attemptNumber, outcome, durationMs, verdict, isRecorded }: ReportedAttempt,
): void {
  const attempt = { ...idsOf(task), attempt_number: attemptNumber };
  const statusOrCode = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  log.info('delivery.attempted', {
    ...attempt,
    outcome: outcome.type,
    ...statusOrCode,
    duration_ms: durationMs,
    verdict,
    ...(isRecorded ? {} : { not_recorded: true }),
  });
  if (verdict !== 'failed' || !isRecorded) return;
  // After a failed resend, a delivery may still be delivered.
  log.warn(task.isResend ? 'delivery.resend_failed' : 'delivery.failed', attempt);
}

/** Records an attempt as a span in its event's trace, without urls, addresses, bodies or headers. */
function traceAttempt(tracer: Tracer, task: DeliveryTask, attempt: ReportedAttempt): void {
  const { outcome, verdict, durationMs, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  tracer.record({
    eventId: task.eventId,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + durationMs,
    hasFailed: verdict !== 'delivered',
    attributes: {
      'ringback.delivery_id': task.id,
      'ringback.event_id': task.eventId,
      'ringback.webhook_id': task.webhookId,
      'ringback.account_id': task.accountId,
      'ringback.channel': task.channel,
      'ringback.verdict': verdict,
      'ringback.attempt': attempt.attemptNumber,
      ...result,
    },
  });
}
