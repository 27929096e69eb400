import { compose, judge, type RetrySettings, type Verdict } from '@ringback/callbacks';
import { type AttemptRecord, type DeliveryTask } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import { hideBearer } from './hide-bearer.js';
import type { Lanes } from './lanes.js';
import type { Sender, Sent } from '../send/send.js';
import { skipReason } from './skip-reason.js';

export type DeliverDeps = {
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  record(attempt: AttemptRecord): Promise<boolean>;
  skip(deliveryId: string, reason: string): Promise<void>;
  /** Lets a delivery wait, without a job, until its webhook has fewer calls in flight. */
  park(task: DeliveryTask): Promise<void>;
  lanes: Lanes;
  /** The deliveries that this process has in hand: two jobs of one delivery must not call at the same time. */
  inHand: Set<string>;
  send: Sender['send'];
  log: Logger;
  retries: RetrySettings;
  requireVerification: boolean;
  version: string;
};

// How long a delivery that another job has in hand is left alone, and how old what was loaded may be.
const inHandWaitMs = 5_000;
const freshMs = 250;

export type DeliverOptions = {
  /** It was parked, and is this worker's for now. */
  fetched: boolean;
  /** Called when its lane has answered, one way or the other. */
  onAnswer(): void;
};

const fromQueue: DeliverOptions = { fetched: false, onAnswer: () => {} };

/**
 * Makes the next attempt of a delivery when its webhook's lane has a turn for it. The row decides, not the job: a
 * delivery that is final, or parked and not `fetched`, is left alone; one that is not due yet waits on. Throws only for trouble of our own,
 * and then no attempt was counted.
 */
export async function deliver(deps: DeliverDeps, deliveryId: string, options = fromQueue): Promise<JobEnd> {
  if (deps.inHand.has(deliveryId)) return { type: 'early', waitMs: inHandWaitMs };
  deps.inHand.add(deliveryId);
  try {
    return await takeTurn(deps, deliveryId, options);
  } finally {
    deps.inHand.delete(deliveryId);
  }
}

async function takeTurn(deps: DeliverDeps, deliveryId: string, options: DeliverOptions): Promise<JobEnd> {
  const loadedAt = performance.now();
  const task = await deps.load(deliveryId);
  if (task?.state !== 'pending' || (task.parked && !options.fetched)) return { type: 'done' };
  if (task.dueInMs > 0) return { type: 'early', waitMs: task.dueInMs };
  const turn = await deps.lanes.enter(task.webhookId, task.accountId);
  options.onAnswer();
  if (turn === 'full') {
    await deps.park(task);
    return { type: 'done' };
  }
  let result = { durationMs: 0, answered: true };
  try {
    const isFresh = performance.now() - loadedAt < freshMs;
    const current = isFresh ? task : await deps.load(deliveryId);
    if (current?.state !== 'pending') return { type: 'done' };
    const made = await attempt(deps, current);
    result = made.result;
    return made.end;
  } finally {
    turn.leave(result);
  }
}

type Made = { end: JobEnd; result: { durationMs: number; answered: boolean } };

/** One attempt: compose, send, judge, record. Everything is as the webhook is now. */
async function attempt(deps: DeliverDeps, task: DeliveryTask): Promise<Made> {
  const reason = skipReason(task, deps);
  if (reason !== null) {
    await deps.skip(task.id, reason);
    deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return { end: { type: 'done' }, result: { durationMs: 0, answered: true } };
  }
  const number = task.attempts + 1;
  const callback = compose({ ...task, deliveryId: task.id, attempt: number, version: deps.version });
  const startedAt = new Date();
  const sent = await deps.send(callback);
  const verdict = judge(task.channel, sent.outcome, number, deps.retries);
  const { url, warnings } = callback;
  const recorded = await deps.record({ ...recordOf(task, sent, verdict), number, startedAt, url, warnings });
  logAttempt(deps.log, task, { number, sent, verdict, recorded });
  const end: JobEnd = verdict.type === 'retry' ? { type: 'again', waitMs: verdict.waitMs } : { type: 'done' };
  return { end, result: { durationMs: sent.durationMs, answered: sent.outcome.type === 'response' } };
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
    answer: answer && hideBearer(answer, task.bearer),
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
