import { compose, judge, noRetries, type RetrySettings, type Verdict } from '@ringback/callbacks';
import { type AttemptRecord, type DeliveryTask } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { Attempted } from '../metrics.js';
import { callOf, exchangeOf } from './exchange-record.js';
import type { CallResult, Lanes } from './lanes.js';
import type { Payload, Payloads } from './payloads.js';
import { type IsSealed, sealedWaitMs } from './sealed.js';
import type { Sender, Sent } from '../send/send.js';
import { skipReason } from './skip-reason.js';

export type DeliverDeps = {
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  record(attempt: AttemptRecord): Promise<boolean>;
  skip(deliveryId: string, reason: string): Promise<void>;
  /** Lets a delivery wait, without a job, until its webhook may be called once more. */
  park(task: DeliveryTask): Promise<void>;
  /** The same until its webhook is released. */
  hold(deliveryId: string): Promise<void>;
  /** Has a delivery be due again after a while, without spending an attempt. */
  postpone(deliveryId: string, waitMs: number): Promise<void>;
  isSealed: IsSealed;
  lanes: Lanes;
  payloads: Payloads;
  /** The deliveries that this process has in hand: one delivery must not be called twice at the same time. */
  inHand: Set<string>;
  send: Sender['send'];
  /** Told of every attempt that was made. */
  onAttempt?(attempt: Attempted): void;
  log: Logger;
  retries: RetrySettings;
  requireVerification: boolean;
  version: string;
};

// How long a delivery that is in hand already is left alone, and how old what was loaded may be.
const inHandWaitMs = 5_000;
const freshMs = 250;

/**
 * Makes the next attempt of a delivery whose job has come. The row decides, not the job: a delivery that is final, or
 * parked, is left alone; one that is not due yet waits on. Throws only for trouble of our own, and then no attempt was
 * counted.
 */
export function deliver(deps: DeliverDeps, deliveryId: string): Promise<JobEnd> {
  return alone(deps, deliveryId, async () => {
    const loadedAt = performance.now();
    const task = await deps.load(deliveryId);
    if (task?.state !== 'pending' || task.parked) return { type: 'done' };
    if (task.dueInMs > 0) return { type: 'early', waitMs: task.dueInMs };
    if (mustQueue(task)) {
      await deps.park(task);
      return { type: 'done' };
    }
    return takeTurn(deps, task, { loadedAt, callBy: Infinity });
  });
}

/**
 * Calls of a webhook with a rate limit are let through where parked deliveries are fetched, so a job has no more to do than
 * to park. But what a worker died of is called by its job, which counts that.
 */
const mustQueue = ({ limited, paused, orphaned }: DeliveryTask) => limited && !paused && !orphaned;

/** When a delivery was loaded, and until when its call may start, both on the clock of `performance`. */
export type Held = { loadedAt: number; callBy: number };

/** The same for a delivery that is this worker's for a while. When it has to wait longer, it is left to others. */
export function deliverClaimed(deps: DeliverDeps, task: DeliveryTask, held: Held): Promise<JobEnd> {
  return alone(deps, task.id, () => takeTurn(deps, task, held));
}

async function alone(deps: DeliverDeps, deliveryId: string, act: () => Promise<JobEnd>): Promise<JobEnd> {
  if (deps.inHand.has(deliveryId)) return { type: 'early', waitMs: inHandWaitMs };
  deps.inHand.add(deliveryId);
  try {
    return await act();
  } finally {
    deps.inHand.delete(deliveryId);
  }
}

async function takeTurn(deps: DeliverDeps, task: DeliveryTask, { loadedAt, callBy }: Held): Promise<JobEnd> {
  const turn = await deps.lanes.enter(task.webhookId, task.accountId);
  if (turn === 'full') {
    await deps.park(task);
    return { type: 'done' };
  }
  let result: CallResult = { durationMs: 0, answered: true };
  try {
    const made = await deps.payloads.use(task, async (payload) => {
      const isFresh = performance.now() - loadedAt < freshMs;
      const current = isFresh ? task : await deps.load(task.id);
      // Loading takes as long as PostgreSQL is away: by then it may be somebody else's.
      if (current?.state !== 'pending' || performance.now() > callBy) return notCalled;
      return attempt(deps, current, payload);
    });
    if (made) result = made.result;
    return made?.end ?? notCalled.end;
  } finally {
    turn.leave(result);
  }
}

type Made = { end: JobEnd; result: CallResult };
const notCalled: Made = { end: { type: 'done' }, result: { durationMs: 0, answered: true } };

/** One attempt: compose, send, judge, record. Everything is as the webhook is now. */
async function attempt(deps: DeliverDeps, task: DeliveryTask, payload: Payload): Promise<Made> {
  const reason = skipReason(task, deps);
  if (reason !== null) {
    await deps.skip(task.id, reason);
    deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return notCalled;
  }
  if (task.paused) {
    await deps.hold(task.id);
    return notCalled;
  }
  if (deps.isSealed(task)) {
    const waitMs = sealedWaitMs * deps.retries.timeScale;
    await deps.postpone(task.id, waitMs);
    return { ...notCalled, end: { type: 'again', waitMs } };
  }
  const number = task.attempts + 1;
  const startedAt = new Date();
  const { version } = deps;
  const callback = compose({ ...task, ...payload, deliveryId: task.id, attempt: number, at: startedAt, version });
  const sent = await deps.send(callback);
  const verdict = judge(task.channel, sent.outcome, number, task.resend ? noRetries : deps.retries);
  const { url, warnings } = callback;
  const kept = { ...recordOf(task, callback.url, { sent, verdict }), ...exchangeOf(task, callback, sent) };
  const recorded = await deps.record({ ...kept, number, startedAt, url, warnings });
  logAttempt(deps.log, task, { number, sent, verdict, recorded });
  const { channel, receivedAt } = task;
  const result = { number, outcome: sent.outcome, verdict: verdict.type, seconds: sent.durationMs / 1_000 };
  deps.onAttempt?.({ ...result, ids: idsOf(task), channel, receivedAt, startedAt });
  const end: JobEnd = verdict.type === 'retry' ? { type: 'again', waitMs: verdict.waitMs } : { type: 'done' };
  return { end, result: { durationMs: sent.durationMs, answered: sent.outcome.type === 'response' } };
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
    ...callOf(task, url, sent),
    state: verdict.type === 'retry' ? ('pending' as const) : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
  };
}

type Judged = { number: number; sent: Sent; verdict: Verdict; recorded: boolean };

function logAttempt(log: Logger, task: DeliveryTask, { number, sent, verdict, recorded }: Judged): void {
  const { outcome, durationMs } = sent;
  const result = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  const fields = { ...idsOf(task), attempt: number, outcome: outcome.type, ...result, duration_ms: durationMs };
  log.info('delivery.attempted', { ...fields, verdict: verdict.type, ...(recorded ? {} : { repeated: true }) });
  if (verdict.type === 'failed') log.warn('delivery.failed', { ...idsOf(task), attempts: number });
}
