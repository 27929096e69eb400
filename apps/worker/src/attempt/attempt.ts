import { compose, judge, noRetries, type RetrySettings, type Verdict } from '@ringback/callbacks';
import { type DeliveryTask } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { CallResult } from '../dispatch/receiver-health.js';
import type { WebhookLimiter } from '../dispatch/webhook-limiter.js';
import type { Attempted } from '../metrics.js';
import type { Sender, Sent } from '../send/send.js';
import { callRecord, exchangeRecord } from './exchange-record.js';
import type { DeliveryStore } from './delivery-store.js';
import type { Payload, Payloads } from './payloads.js';
import { type IsSealed, sealedWaitMs } from './sealed-check.js';
import { skipReason } from './skip-reason.js';

export type AttemptDeps = {
  store: Pick<DeliveryStore, 'load' | 'record' | 'skip' | 'release'>;
  limiter: WebhookLimiter;
  isSealed: IsSealed;
  payloads: Payloads;
  send: Sender['send'];
  /** Called after every attempt. */
  onAttempt?(attempt: Attempted): void;
  log: Logger;
  retries: RetrySettings;
  requireVerification: boolean;
  version: string;
};

// A delivery that was loaded longer ago is loaded again before its call.
const maxTaskAgeMs = 250;

/** When a leased delivery was loaded, and until when its call may start, by `performance.now()`. */
export type LeaseTimes = { loadedAt: number; callBy: number };

/** `retryInMs`: ms until the next attempt; null when there is none. `released`: the lease ended without an attempt. */
export type AttemptResult = { retryInMs: number | null; released: boolean };

const completed: AttemptResult = { retryInMs: null, released: false };
const released: AttemptResult = { retryInMs: null, released: true };

/**
 * Makes the next attempt of a leased delivery when its webhook has a permit. Releases the lease without an attempt when the
 * webhook is saturated or paused, or when the call could not end within the lease. Throws only for trouble of our own, and
 * then spends no attempt.
 */
export async function attemptLeased(deps: AttemptDeps, task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> {
  const permit = await deps.limiter.acquire(task.webhookId, task.accountId);
  if (permit === 'saturated') return release(deps, task);
  let result: CallResult | undefined;
  try {
    const attempted = await deps.payloads.use(task, (payload) => callInTime(deps, { task, payload }, times));
    if (attempted) result = attempted.call;
    return attempted?.result ?? completed;
  } finally {
    permit.release(result);
  }
}

async function release({ store }: AttemptDeps, task: DeliveryTask, waitMs = 0): Promise<AttemptResult> {
  await store.release(task, waitMs);
  return waitMs > 0 ? { retryInMs: waitMs, released: false } : released;
}

type Loaded = { task: DeliveryTask; payload: Payload };

async function callInTime(
  deps: AttemptDeps,
  { task, payload }: Loaded,
  { loadedAt, callBy }: LeaseTimes,
): Promise<CallAttempt> {
  const isFresh = performance.now() - loadedAt < maxTaskAgeMs;
  const current = isFresh ? task : await deps.store.load(task.id);
  // When its lease expired while it waited, another worker has it.
  if (current?.state !== 'pending' || current.lease !== task.lease) return notCalled(completed);
  // Loading waits while PostgreSQL is away.
  if (performance.now() > callBy) return notCalled(await release(deps, task));
  return attempt(deps, current, payload);
}

type CallAttempt = { result: AttemptResult; call?: CallResult };
const notCalled = (result: AttemptResult): CallAttempt => ({ result });

/** One attempt: compose, send, judge, record, with the webhook's current settings. */
async function attempt(deps: AttemptDeps, task: DeliveryTask, payload: Payload): Promise<CallAttempt> {
  const reason = skipReason(task, deps);
  if (reason !== null) {
    await deps.store.skip(task.id, reason);
    deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return notCalled(completed);
  }
  if (task.paused) return notCalled(await release(deps, task));
  if (deps.isSealed(task)) return notCalled(await release(deps, task, sealedWaitMs * deps.retries.timeScale));
  const number = task.attempts + 1;
  const startedAt = new Date();
  const { version } = deps;
  const callback = compose({ ...task, ...payload, deliveryId: task.id, attempt: number, at: startedAt, version });
  const sent = await deps.send(callback);
  const verdict = judge(task.channel, sent.outcome, number, task.resend ? noRetries : deps.retries);
  const { url, warnings } = callback;
  const exchange = { ...recordOf(task, callback.url, { sent, verdict }), ...exchangeRecord(task, callback, sent) };
  const recorded = await deps.store.record({ ...exchange, number, startedAt, url, warnings });
  logAttempt(deps.log, task, { number, sent, verdict, recorded });
  const { channel, receivedAt } = task;
  const result = { number, outcome: sent.outcome, verdict: verdict.type, seconds: sent.durationMs / 1_000 };
  deps.onAttempt?.({ ...result, ids: idsOf(task), channel, receivedAt, startedAt });
  const retryInMs = verdict.type === 'retry' ? verdict.waitMs : null;
  const call = { durationMs: sent.durationMs, answered: sent.outcome.type === 'response' };
  return { result: { retryInMs, released: false }, call };
}

const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function recordOf(task: DeliveryTask, url: string, { sent, verdict }: { sent: Sent; verdict: Verdict }) {
  return {
    deliveryId: task.id,
    kind: task.resend ? ('resend' as const) : ('scheduled' as const),
    ...callRecord(task, url, sent),
    state: verdict.type === 'retry' ? ('pending' as const) : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
  };
}

type JudgedCall = { number: number; sent: Sent; verdict: Verdict; recorded: boolean };

function logAttempt(log: Logger, task: DeliveryTask, { number, sent, verdict, recorded }: JudgedCall): void {
  const { outcome, durationMs } = sent;
  const result = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  const fields = { ...idsOf(task), attempt: number, outcome: outcome.type, ...result, duration_ms: durationMs };
  log.info('delivery.attempted', { ...fields, verdict: verdict.type, ...(recorded ? {} : { repeated: true }) });
  if (verdict.type === 'failed') log.warn('delivery.failed', { ...idsOf(task), attempts: number });
}
