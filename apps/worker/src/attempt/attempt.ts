import { type Callback, composeCallback, judge, noRetries, type RetrySettings, type Verdict } from '@ringback/rules';
import type { AttemptRecord, DeliveryTask } from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import type { ConcurrencyLimiter } from '../limiter/concurrency-limiter.js';
import type { Permit } from '../limiter/permit.js';
import type { Sender, SendResult } from '../send/send.js';
import type { AttemptSummary } from './attempt-summary.js';
import type { DeliveryStore } from './delivery-store.js';
import type { Payload, PayloadLoader } from './payload-loader.js';
import { recordedFields } from './recorded-fields.js';
import { type HasUnreadableSecret, unreadableSecretWaitMs } from './unreadable-secrets.js';
import { skipReason } from './skip-reason.js';

export type AttemptDeps = {
  store: Pick<DeliveryStore, 'load' | 'record' | 'skip' | 'release'>;
  limiter: ConcurrencyLimiter;
  hasUnreadableSecret: HasUnreadableSecret;
  payloadLoader: PayloadLoader;
  send: Sender['send'];
  /** Called after each attempt that `store.record` settled, whether it was recorded or not. */
  onAttempt?(attempt: AttemptSummary): void;
  log: Logger;
  retries: RetrySettings;
  requireVerification: boolean;
  version: string;
};

// A delivery that was loaded longer ago is loaded again before its request is sent.
const maxTaskAgeMs = 250;

/**
 * Times of `performance.now()`. `loadedAtMonotonicMs`: when the leased delivery was loaded. `sendByMonotonicMs`: the
 * latest start of its request, which renewing the lease does not move.
 */
export type LeaseTimes = { loadedAtMonotonicMs: number; sendByMonotonicMs: number };

/** Attempts a leased delivery. */
export type AttemptExecutor = (task: DeliveryTask, times: LeaseTimes) => Promise<LeaseResult>;

/** What is left to do for a delivery after its lease ended. */
export type LeaseResult =
  /** Nothing: the delivery is final, or its lease was lost. */
  | { type: 'done' }
  /** Released without an attempt and without a wait. A claim decides what follows: it leaves out a paused webhook. */
  | { type: 'dueNow' }
  /** The delivery is due after `waitMs`: for a retry, or after a release with a wait. */
  | { type: 'dueIn'; waitMs: number };

const done: LeaseResult = { type: 'done' };

/**
 * Makes the next attempt of a leased delivery when the limiter has granted a permit. Skips the delivery when its
 * webhook may not get callbacks. Releases the lease without an attempt when the limiter grants no permit or closes,
 * when the event was deleted, when the webhook is paused, when no key decrypts its secrets, or after
 * `sendByMonotonicMs`. Does nothing when the lease was lost. Throws only for internal errors, which use up no attempt.
 */
export async function attemptDelivery(deps: AttemptDeps, task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
  const permit = await deps.limiter.acquire(task.webhookId, task.accountId);
  if (permit === null) return release(deps, task);
  try {
    const result = await deps.payloadLoader.withPayload(task, times, (payload) =>
      sendIfLeased(deps, { task, payload, permit }, times),
    );
    // The event was deleted. The next claim fails the delivery.
    return result ?? (await release(deps, task));
  } finally {
    permit.release();
  }
}

async function release({ store }: AttemptDeps, task: DeliveryTask, waitMs = 0): Promise<LeaseResult> {
  await store.release(task, waitMs);
  return waitMs > 0 ? { type: 'dueIn', waitMs } : { type: 'dueNow' };
}

type PermittedAttempt = { task: DeliveryTask; payload: Payload; permit: Permit };

/** Continues with `sendIfAllowed`. Releases the lease after `sendByMonotonicMs`; does nothing if the lease was lost. */
async function sendIfLeased(
  deps: AttemptDeps,
  { task, payload, permit }: PermittedAttempt,
  { loadedAtMonotonicMs, sendByMonotonicMs }: LeaseTimes,
): Promise<LeaseResult> {
  const isUpToDate = performance.now() - loadedAtMonotonicMs < maxTaskAgeMs;
  const current = isUpToDate ? task : await deps.store.load(task.id);
  // If the lease expired while the delivery waited, another worker may hold it.
  if (current?.state !== 'pending' || current.leasedAt !== task.leasedAt) return done;
  // Loading takes long while PostgreSQL is unavailable.
  if (performance.now() > sendByMonotonicMs) return release(deps, task);
  return sendIfAllowed(deps, { task: current, payload, permit });
}

/** Sends the callback. If the webhook's current state forbids an attempt, skips the delivery or releases the lease. */
async function sendIfAllowed(deps: AttemptDeps, prepared: PermittedAttempt): Promise<LeaseResult> {
  const { task } = prepared;
  const reason = skipReason(task, deps);
  if (reason !== null) {
    await deps.store.skip(task.id, reason);
    deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return done;
  }
  if (task.isPaused) return release(deps, task);
  if (deps.hasUnreadableSecret(task)) return release(deps, task, unreadableSecretWaitMs * deps.retries.timeScale);
  return sendAndRecord(deps, prepared);
}

/**
 * Composes and sends the callback, judges its outcome, and records the attempt. If the limiter closed, releases the
 * lease instead.
 */
async function sendAndRecord(deps: AttemptDeps, { task, payload, permit }: PermittedAttempt): Promise<LeaseResult> {
  const attemptNumber = task.attemptCount + 1;
  const startedAt = new Date();
  const fields = { deliveryId: task.id, attemptNumber, startedAt, version: deps.version };
  const callback = composeCallback({ ...task, ...payload, ...fields });
  if (!permit.tryStartRequest()) return release(deps, task);
  const sent = await deps.send(callback);
  const endedAtMonotonicMs = performance.now();
  // Recording time must not count against the receiver.
  permit.reportRequestEnd({ durationMs: sent.durationMs, hasResponse: sent.outcome.type === 'response' });
  const verdict = judge(task.channel, sent.outcome, attemptNumber, task.isResend ? noRetries : deps.retries);
  const ended: EndedAttempt = { attemptNumber, startedAt, endedAtMonotonicMs, sent, verdict };
  const isRecorded = await deps.store.record(attemptRecordOf(task, callback, ended));
  logAttempt(deps.log, task, { ...ended, isRecorded });
  deps.onAttempt?.(summaryOf(task, ended));
  return verdict.type === 'retry' ? { type: 'dueIn', waitMs: verdict.waitMs } : done;
}

type EndedAttempt = {
  attemptNumber: number;
  startedAt: Date;
  endedAtMonotonicMs: number;
  sent: SendResult;
  verdict: Verdict;
};

const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function summaryOf(
  { id: deliveryId, eventId, webhookId, accountId, channel, receivedAt }: DeliveryTask,
  { attemptNumber, startedAt, sent, verdict }: EndedAttempt,
): AttemptSummary {
  const { outcome, durationMs } = sent;
  const ids = { deliveryId, eventId, webhookId, accountId };
  return { ...ids, attemptNumber, startedAt, channel, receivedAt, outcome, durationMs, verdict: verdict.type };
}

function attemptRecordOf(
  task: DeliveryTask,
  callback: Callback,
  { sent, verdict, attemptNumber, startedAt, endedAtMonotonicMs }: EndedAttempt,
): AttemptRecord {
  return {
    deliveryId: task.id,
    number: attemptNumber,
    event: task.eventName,
    kind: task.isResend ? 'resend' : 'scheduled',
    ...recordedFields(task, callback, sent),
    state: verdict.type === 'retry' ? 'pending' : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
    startedAt,
    endedAtMonotonicMs,
  };
}

function logAttempt(
  log: Logger,
  task: DeliveryTask,
  { attemptNumber, sent, verdict, isRecorded }: EndedAttempt & { isRecorded: boolean },
): void {
  const { outcome, durationMs } = sent;
  const statusOrCode = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  const fields = {
    ...idsOf(task),
    attempt_number: attemptNumber,
    outcome: outcome.type,
    ...statusOrCode,
    duration_ms: durationMs,
  };
  log.info('delivery.attempted', { ...fields, verdict: verdict.type, ...(isRecorded ? {} : { not_recorded: true }) });
  if (verdict.type !== 'failed' || !isRecorded) return;
  // After a failed resend, a delivery may still be delivered.
  log.warn(task.isResend ? 'delivery.resend_failed' : 'delivery.failed', {
    ...idsOf(task),
    attempt_number: attemptNumber,
  });
}
