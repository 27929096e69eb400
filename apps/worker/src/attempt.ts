import { type Callback, composeCallback, judge, noRetries, type RetrySettings, type Verdict } from '@ringback/rules';
import {
  type AttemptRecord,
  type CallbackSecrets,
  type Database,
  type DeliveryTask,
  type LeaseResult,
  skipReason,
} from '@ringback/ledger';
import type { Logger, Tracer } from '@ringback/process';
import { idsOf, reportAttempt } from './attempt-report.js';
import type { Permit } from './limits/limited-webhooks.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { WorkerMetrics } from './metrics.js';
import { Payloads } from './payloads.js';
import { recordedFields } from './recorded-fields.js';
import type { Recorder } from './recorder.js';
import { SecretDecrypter, unreadableSecretWaitMs } from './secret-decrypter.js';
import type { Sender, SendResult } from './sender/send.js';

export type AttempterDeps = {
  db: Pick<Database, 'secrets'>;
  limiter: Pick<ConcurrencyLimiter, 'acquire'>;
  recorder: Pick<Recorder, 'load' | 'loadPayload' | 'record' | 'skip' | 'release'>;
  sender: Pick<Sender, 'send'>;
  metrics: Pick<WorkerMetrics, 'countInFlight' | 'observeAttempt'>;
  /** Undefined when tracing is off. */
  tracer: Tracer | undefined;
  log: Logger;
};

export type AttemptSettings = { retries: RetrySettings; requireVerification: boolean; version: string };

// A delivery that was loaded longer ago is loaded again before its request is sent.
const maxTaskAgeMs = 250;

/**
 * Times of `performance.now()`. `loadedAtMonotonicMs`: when the leased delivery was loaded. `sendByMonotonicMs`: the
 * latest start of its request, which renewing the lease does not move.
 */
export type LeaseTimes = { loadedAtMonotonicMs: number; sendByMonotonicMs: number };

const done: LeaseResult = { type: 'done' };

type EndedAttempt = {
  attemptNumber: number;
  startedAt: Date;
  endedAtMonotonicMs: number;
  sent: SendResult;
  verdict: Verdict;
};

/** Makes the attempts of leased deliveries. */
export class Attempter {
  readonly #deps: AttempterDeps;
  readonly #settings: AttemptSettings;
  readonly #payloads: Payloads;
  readonly #secrets: SecretDecrypter;
  readonly #send: Sender['send'];

  constructor(deps: AttempterDeps, settings: AttemptSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#payloads = new Payloads(deps.recorder);
    this.#secrets = new SecretDecrypter(deps.db, deps.log);
    this.#send = deps.metrics.countInFlight((request) => deps.sender.send(request));
  }

  /**
   * Makes the next attempt of a leased delivery once it has a permit. Skips the delivery if its webhook may not get
   * callbacks. Releases the lease, without using up an attempt, if there is no permit, the event was deleted, the
   * webhook is paused, no key decrypts its secrets, or `sendByMonotonicMs` has passed. Does nothing if the lease was
   * lost. Throws only for internal errors.
   */
  async attempt(task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
    const permit = await this.#deps.limiter.acquire(task.webhookId, task.accountId);
    if (permit === null) return this.#release(task);
    try {
      return await this.#attemptWithPermit(task, times, permit);
    } finally {
      this.#payloads.release(task);
      permit.release();
    }
  }

  async #attemptWithPermit(leased: DeliveryTask, times: LeaseTimes, permit: Permit): Promise<LeaseResult> {
    const { recorder } = this.#deps;
    const { retries, version } = this.#settings;
    const payload = await this.#payloads.load(leased, times.sendByMonotonicMs);
    // The event was deleted. The next claim fails the delivery.
    if (payload === undefined) return this.#release(leased);

    const isUpToDate = performance.now() - times.loadedAtMonotonicMs < maxTaskAgeMs;
    const task = isUpToDate ? leased : await recorder.load(leased.id);
    // If the lease expired while the delivery waited, another worker may hold it.
    if (task?.state !== 'pending' || task.leasedAt !== leased.leasedAt) return done;
    // Loading takes long while PostgreSQL is unavailable.
    if (performance.now() > times.sendByMonotonicMs) return this.#release(task);

    const reason = skipReason(task, this.#settings);
    if (reason !== null) return this.#skip(task, reason);
    if (task.isPaused) return this.#release(task);
    const secrets = this.#secrets.decrypt(task);
    if (secrets === null) return this.#release(task, unreadableSecretWaitMs * retries.timeScale);

    const attemptNumber = task.attemptCount + 1;
    const startedAt = new Date();
    const ids = { deliveryId: task.id, attemptNumber };
    const callback = composeCallback({ ...task, ...secrets, ...payload, ...ids, startedAt, version });
    if (!permit.tryStartRequest()) return this.#release(task);
    const sent = await this.#send(callback);
    const endedAtMonotonicMs = performance.now();
    // Recording time must not count against the receiver.
    permit.reportRequestEnd({ durationMs: sent.durationMs, hasResponse: sent.outcome.type === 'response' });

    const verdict = judge(task.channel, sent.outcome, attemptNumber, task.isResend ? noRetries : retries);
    const ended: EndedAttempt = { attemptNumber, startedAt, endedAtMonotonicMs, sent, verdict };
    const isRecorded = await recorder.record(recordOf({ ...task, ...secrets }, callback, ended));
    reportAttempt(this.#deps, task, { ...sent, attemptNumber, startedAt, verdict: verdict.type, isRecorded });
    return verdict.type === 'retry' ? { type: 'dueIn', waitMs: verdict.waitMs } : done;
  }

  async #skip(task: DeliveryTask, reason: string): Promise<LeaseResult> {
    await this.#deps.recorder.skip(task, reason);
    this.#deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return done;
  }

  async #release(task: DeliveryTask, waitMs = 0): Promise<LeaseResult> {
    await this.#deps.recorder.release(task, waitMs);
    return waitMs > 0 ? { type: 'dueIn', waitMs } : { type: 'dueNow' };
  }
}

function recordOf(
  task: DeliveryTask & CallbackSecrets,
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
