import type { Consumer, QueueHealth, QueueName, Queues } from '@ringback/queue';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/process';
import { type PeriodicTask, runEvery } from './run-every.js';

export type QueueWatchDeps = {
  queues: Pick<Queues, 'readHealth'>;
  consumers: Consumer[];
  log: Pick<Logger, 'error'>;
  fail: Fail;
};

/** `everyMs`: the interval of checks. `stuckAfterMs`: how long a consumer may fetch nothing while jobs wait. */
type WatchTimes = { everyMs: number; stuckAfterMs: number };

const defaultTimes: WatchTimes = { everyMs: 5_000, stuckAfterMs: 30_000 };

/**
 * Finds queues whose jobs wait while this worker is idle. After 30 s the worker is not ready. If a BullMQ client has
 * paused or limited the queue, only an operator can help. Otherwise BullMQ's worker is stuck, as has been seen after
 * reconnects: it is replaced once, and if that does not help, the process ends so that its supervisor starts a new one.
 */
export class QueueWatch implements PeriodicTask {
  readonly #queues: WatchedQueue[];
  readonly #checks: PeriodicTask;

  /** Starts with a check. */
  constructor(deps: QueueWatchDeps, times = defaultTimes) {
    this.#queues = deps.consumers.map((consumer) => new WatchedQueue(consumer, deps, times));
    const checkAll = () => Promise.all(this.#queues.map((queue) => queue.check()));
    this.#checks = runEvery({ intervalMs: times.everyMs, run: checkAll, runAtStart: checkAll });
  }

  /** Why a queue's jobs wait without being fetched; null while they don't. */
  reason(): string | null {
    return this.#queues.map(({ reason }) => reason).find((reason) => reason !== null) ?? null;
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }
}

class WatchedQueue {
  /** Why the queue's jobs wait without being fetched; null while they don't. */
  reason: string | null = null;
  readonly #consumer: Consumer;
  readonly #deps: QueueWatchDeps;
  readonly #times: WatchTimes;
  readonly #name: QueueName;
  #waitingSince: { monotonicMs: number; fetchedCount: number } | undefined;
  #fetchedCountAtRestart: number | undefined;

  constructor(consumer: Consumer, deps: QueueWatchDeps, times: WatchTimes) {
    this.#consumer = consumer;
    this.#deps = deps;
    this.#times = times;
    this.#name = consumer.queue as QueueName;
  }

  async check(): Promise<void> {
    try {
      const health = await this.#deps.queues.readHealth(this.#name);
      const isStuck = this.#stuckForMs(health) >= this.#times.stuckAfterMs;
      if (isStuck) this.#handleStuck(health);
      // A consumer that was just replaced has not proved yet that it fetches.
      else if (health.waiting === 0 || this.#consumer.fetchedCount() !== this.#fetchedCountAtRestart)
        this.reason = null;
    } catch (error) {
      this.#waitingSince = undefined;
      this.#deps.log.error('queue.check_failed', { queue: this.#name, ...errorFields(error) });
    }
  }

  /** For how long jobs have been waiting while the consumer fetched none and ran none. */
  #stuckForMs({ waiting }: QueueHealth): number {
    const [now, fetchedCount] = [performance.now(), this.#consumer.fetchedCount()];
    const isIdle = waiting > 0 && this.#consumer.idleForMs() > this.#times.everyMs;
    if (!isIdle || this.#waitingSince?.fetchedCount !== fetchedCount)
      this.#waitingSince = isIdle ? { monotonicMs: now, fetchedCount } : undefined;
    return this.#waitingSince ? now - this.#waitingSince.monotonicMs : 0;
  }

  #handleStuck({ waiting, limits }: QueueHealth): void {
    const isLimited = limits.length > 0;
    this.reason = isLimited
      ? `${this.#name} has ${waiting} waiting jobs: ${limits.join('; ')}`
      : `Queue ${this.#name} is stuck: ${waiting} jobs wait and none is fetched`;
    if (!isLimited) this.#restartOrFail();
  }

  #restartOrFail(): void {
    const { log, fail } = this.#deps;
    if (this.#consumer.fetchedCount() === this.#fetchedCountAtRestart) {
      fail(new OperatorError(`Queue ${this.#name} is stuck; restarting this worker.`));
      return;
    }
    log.error('queue.stuck', { queue: this.#name, hint: 'its consumer is replaced' });
    this.#consumer.restart();
    this.#waitingSince = undefined;
    this.#fetchedCountAtRestart = this.#consumer.fetchedCount();
  }
}
