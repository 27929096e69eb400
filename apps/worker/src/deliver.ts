import { compose, judge, type RetrySettings, type Verdict } from '@ringback/callbacks';
import { type AttemptRecord, type DeliveryTask } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from './job-end.js';
import type { Sender, Sent } from './send.js';
import { skipReason } from './skip-reason.js';

export type DeliverDeps = {
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  record(attempt: AttemptRecord): Promise<boolean>;
  skip(deliveryId: string, reason: string): Promise<void>;
  send: Sender['send'];
  log: Logger;
  retries: RetrySettings;
  requireVerification: boolean;
  version: string;
};

/**
 * Makes the next attempt of a delivery: load, compose, send, judge, record. The row decides, not the job: a delivery
 * that is final is left alone, one that is not due yet waits on. Everything is as the webhook is now. Throws only for
 * trouble of our own, and then no attempt was counted.
 */
export async function deliver(deps: DeliverDeps, deliveryId: string): Promise<JobEnd> {
  const task = await deps.load(deliveryId);
  if (task?.state !== 'pending') return { type: 'done' };
  if (task.dueInMs > 0) return { type: 'early', waitMs: task.dueInMs };
  const reason = skipReason(task, deps);
  if (reason !== null) {
    await deps.skip(task.id, reason);
    deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return { type: 'done' };
  }
  const number = task.attempts + 1;
  const callback = compose({ ...task, deliveryId: task.id, attempt: number, version: deps.version });
  const startedAt = new Date();
  const sent = await deps.send(callback);
  const verdict = judge(task.channel, sent.outcome, number, deps.retries);
  const { url, warnings } = callback;
  const recorded = await deps.record({ ...recordOf(task, sent, verdict), number, startedAt, url, warnings });
  logAttempt(deps.log, task, { number, sent, verdict, recorded });
  return verdict.type === 'retry' ? { type: 'again', waitMs: verdict.waitMs } : { type: 'done' };
}

const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function recordOf(task: DeliveryTask, { outcome, durationMs, answer }: Sent, verdict: Verdict) {
  return {
    deliveryId: task.id,
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    answer,
    state: verdict.type === 'retry' ? ('pending' as const) : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
  };
}

type Made = { number: number; sent: Sent; verdict: Verdict; recorded: boolean };

function logAttempt(log: Logger, task: DeliveryTask, { number, sent, verdict, recorded }: Made): void {
  const { outcome, durationMs } = sent;
  const result = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  const fields = { ...idsOf(task), attempt: number, outcome: outcome.type, ...result, duration_ms: durationMs };
  log.info('delivery.attempted', { ...fields, verdict: verdict.type, ...(recorded ? {} : { repeated: true }) });
  if (verdict.type === 'failed') log.warn('delivery.failed', { ...idsOf(task), attempts: number });
}
