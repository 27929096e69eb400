import type { Channel } from '@ringback/rules';
import { type DeliveryTask, isFirstAttempt, type LeaseRequest, type LeaseResult } from '@ringback/ledger';
import { errorFields, type Logger, setBounded } from '@ringback/process';
import type { Attempter, LeaseTimes } from './attempt.js';
import { CrashSuspects, isCrashSuspect } from './crash-suspects.js';
import type { DueFinder } from './due-finder.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { WorkerMetrics } from './metrics.js';
import type { Recorder } from './recorder.js';
import { proxyFailureOf } from './sender/classify-error.js';

export type LeaseHolderDeps = {
  log: Pick<Logger, 'error'>;
  metrics: Pick<WorkerMetrics, 'countDeliveryError'>;
  attempter: Pick<Attempter, 'attempt'>;
  recorder: Pick<Recorder, 'renew' | 'release' | 'end'>;
  limiter: Pick<ConcurrencyLimiter, 'listBlockedWebhooks'>;
  finder: Pick<DueFinder, 'leaseEnded'>;
};

/** `channels`: those whose deliveries this worker leases. */
export type LeaseSettings = { channels: Channel[]; callbackTimeoutMs: number; concurrency: number };

/** How a delivery was leased. `ingest`: when this worker stored its event. `claim`: by a claim. */
export type LeaseOrigin = 'ingest' | 'claim';

/** `requestedAt`: before the statement that leased it, so no lease started earlier. */
type ActiveLease = { task: DeliveryTask; requestedAtMonotonicMs: number; origin: LeaseOrigin };
/** `next`: the same delivery, leased again before this attempt ended. `renewAt`: of the newest lease. */
type Running = { lease: ActiveLease; next?: ActiveLease; renewAtMonotonicMs: number; end: Promise<void> };

// A lease lasts for the callback timeout and 7 s: 5 s until the request is sent, and 2 s to record the attempt. Unless
// the worker is overloaded, the wait for a permit takes at most 2 s of the 5 s.
const prepareMs = 5_000;
const recordMs = 2_000;
// Leases of each origin get at most this share of all, so about a quarter is left for the other origin.
const maxShare = 3 / 4;
// What one statement may lease for one account is limited to this or the concurrency, so that a flood of the account's
// events leaves capacity for other accounts. Its earlier leases do not count. Up to a concurrency of 133 this has no
// effect: the ingest share is then 200 or less.
const minLeasedPerAccount = 200;
// While first attempts are made, retries, resends and replays get at most this share of the permits.
const retryShare = 1 / 4;
// First attempts are expected for this long after the last one.
const freshMs = 1_000;
// After an internal error, which uses up no attempt, the delivery may be claimed again after 15 s. With each further
// error in this worker the wait doubles, up to an hour: the receiver may have got the callback each time.
const errorWaitMs = 15_000;
const maxErrorWaitMs = 3_600_000;
const maxRememberedErrors = 10_000;

/**
 * The deliveries that this worker has leased, and their attempts. Unless a running attempt's lease is renewed, another
 * worker repeats the attempt, so it is renewed after a third to a half of its duration.
 *
 * The worker leases about twice as many deliveries as it may attempt at once, so that a permit that becomes free is
 * used at once. It may be a little more: two ingest statements and a claim can run at once, and none counts what the
 * others will lease.
 */
export class LeaseHolder {
  readonly leaseMs: number;
  readonly #deps: LeaseHolderDeps;
  readonly #settings: LeaseSettings;
  readonly #maxLeased: number;
  readonly #suspects: CrashSuspects;
  readonly #running = new Map<string, Running>();
  readonly #counts = { ingest: 0, claim: 0 };
  #retryCount = 0;
  #firstAttemptAtMonotonicMs = -Infinity;
  readonly #waitingForCapacity = new Set<() => void>();
  #onNextEnd: (() => void) | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The waits of deliveries whose last attempt ended with an internal error. */
  readonly #errorWaits = new Map<string, number>();

  constructor(deps: LeaseHolderDeps, settings: LeaseSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#maxLeased = settings.concurrency * 2;
    this.#suspects = new CrashSuspects(deps);
    this.leaseMs = settings.callbackTimeoutMs + prepareMs + recordMs;
  }

  /** Which deliveries of new events this worker leases when it stores them. */
  leaseRequest(): LeaseRequest {
    const { channels, concurrency } = this.#settings;
    return {
      channels,
      leaseMs: this.leaseMs,
      maxLeased: this.available('ingest'),
      maxLeasedPerAccount: Math.max(minLeasedPerAccount, concurrency),
      excludedWebhookIds: this.#deps.limiter.listBlockedWebhooks(),
    };
  }

  /** How many more deliveries of this origin may be leased. */
  available(origin: LeaseOrigin): number {
    if (this.#isClosed) return 0;
    const total = this.#counts.ingest + this.#counts.claim;
    return Math.max(0, Math.min(Math.ceil(this.#maxLeased * maxShare) - this.#counts[origin], this.#maxLeased - total));
  }

  /** How many more retries, resends and replays may be leased, so that they do not delay first attempts. */
  availableRetries(): number {
    if (performance.now() - this.#firstAttemptAtMonotonicMs > freshMs) return Infinity;
    return Math.max(0, Math.ceil(this.#settings.concurrency * retryShare) - this.#retryCount);
  }

  /** Resolves when deliveries of new events may be leased, or when no more will be; at the latest after `maxMs`. */
  async waitForIngestCapacity(maxMs: number): Promise<void> {
    if (this.#isClosed || this.available('ingest') > 0) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waitingForCapacity.delete(end);
        resolve();
      };
      const timer = setTimeout(end, maxMs);
      this.#waitingForCapacity.add(end);
    });
  }

  /** Calls a function once, when the next lease has ended. The next call of this method replaces the function. */
  onNextEnd(call: () => void): void {
    this.#onNextEnd = call;
  }

  /**
   * Starts the attempts of leased deliveries. No lease started before `requestedAtMonotonicMs`.
   *
   * A delivery may be leased again while this worker still attempts it: its lease expired, or the reply to the
   * statement that ended it has not arrived. Then the newest lease is kept until the attempt has ended.
   */
  start(tasks: DeliveryTask[], requestedAtMonotonicMs: number, origin: LeaseOrigin): void {
    for (const task of tasks) {
      const lease: ActiveLease = { task, requestedAtMonotonicMs, origin };
      const running = this.#running.get(task.id);
      if (!running) this.#startNow(lease, performance.now());
      // An older lease of the same delivery is ignored.
      else if (requestedAtMonotonicMs >= (running.next ?? running.lease).requestedAtMonotonicMs) {
        running.next = lease;
        running.renewAtMonotonicMs = this.#renewAt(lease);
      }
    }
  }

  /** Makes no more leases available: deliveries of events that are stored from now on are left to other workers. */
  close(): void {
    this.#isClosed = true;
    this.#resume(Infinity);
  }

  /** Resolves when no delivery is leased, and then stops the renewal of leases. */
  async waitUntilDrained(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running.values()].map(({ end }) => end));
    this.#stopRenewing();
  }

  #startNow(lease: ActiveLease, loadedAtMonotonicMs: number): void {
    const { task, requestedAtMonotonicMs, origin } = lease;
    this.#counts[origin]++;
    if (isFirstAttempt(task)) this.#firstAttemptAtMonotonicMs = performance.now();
    else this.#retryCount++;
    this.#timer ??= setInterval(() => this.#renewDue(), this.leaseMs / 6);
    const times = { loadedAtMonotonicMs, sendByMonotonicMs: requestedAtMonotonicMs + prepareMs };
    const end = this.#attempt(task, times).then((result) => this.#endLease(lease, result));
    this.#running.set(task.id, { lease, renewAtMonotonicMs: this.#renewAt(lease), end });
  }

  async #attempt(task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
    try {
      const attempter = isCrashSuspect(task) ? this.#suspects : this.#deps.attempter;
      const result = await attempter.attempt(task, times);
      // After `dueNow`, nothing was tried.
      if (result.type !== 'dueNow') this.#errorWaits.delete(task.id);
      return result;
    } catch (error) {
      // The proxy's failure is logged once a minute, not for each delivery, and says nothing about the delivery.
      const waitMs = proxyFailureOf(error) === null ? this.#waitAfter(error, task) : errorWaitMs;
      await this.#deps.recorder.release(task, waitMs).catch(() => undefined);
      return { type: 'dueIn', waitMs };
    }
  }

  /** Reports an internal error and returns how long its delivery waits. */
  #waitAfter(error: unknown, { id }: DeliveryTask): number {
    const waitMs = Math.min((this.#errorWaits.get(id) ?? errorWaitMs / 2) * 2, maxErrorWaitMs);
    setBounded(this.#errorWaits, id, waitMs, maxRememberedErrors);
    this.#deps.metrics.countDeliveryError();
    this.#deps.log.error('delivery.error', { delivery_id: id, wait_ms: waitMs, ...errorFields(error) });
    return waitMs;
  }

  #endLease({ task, origin }: ActiveLease, result: LeaseResult): void {
    const next = this.#running.get(task.id)?.next;
    this.#running.delete(task.id);
    if (result.type !== 'done') this.#deps.finder.leaseEnded(task, result);
    // Forces a reload: recording the previous attempt may already have ended this newer lease.
    if (next) this.#startNow(next, -Infinity);
    this.#counts[origin]--;
    if (!isFirstAttempt(task)) this.#retryCount--;
    this.#resume(this.available('ingest'));
    this.#onNextEnd?.();
    this.#onNextEnd = undefined;
  }

  #resume(count: number): void {
    let left = count;
    for (const end of this.#waitingForCapacity) {
      if (left-- <= 0) return;
      end();
    }
  }

  #renewAt({ requestedAtMonotonicMs }: ActiveLease): number {
    return requestedAtMonotonicMs + this.leaseMs / 3;
  }

  #renewDue(): void {
    const now = performance.now();
    const due = [...this.#running.values()].filter(({ renewAtMonotonicMs }) => renewAtMonotonicMs <= now);
    for (const running of due) running.renewAtMonotonicMs = now + this.leaseMs / 3;
    const tasks = due.map(({ lease, next }) => (next ?? lease).task);
    const logFailure = (error: unknown) => this.#deps.log.error('lease.not_renewed', errorFields(error));
    if (tasks.length > 0) this.#deps.recorder.renew(tasks, this.leaseMs).catch(logFailure);
    if (this.#running.size === 0) this.#stopRenewing();
  }

  #stopRenewing(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
