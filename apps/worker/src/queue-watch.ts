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

export type QueueWatch = PeriodicTask & {
  /** Why a queue's jobs wait without being fetched; null while they don't. */
  reason(): string | null;
};

/**
 * Finds queues whose jobs wait while this worker is idle. After 30 s the worker is not ready. If a BullMQ client has
 * paused or limited the queue, only an operator can help. Otherwise BullMQ's worker is stuck, as has been seen after
 * reconnects: it is replaced once, and if that does not help, the process ends so that its supervisor starts a new one.
 */
export function watchQueues(deps: QueueWatchDeps, times = defaultTimes): QueueWatch {
  const watches = deps.consumers.map((consumer) => watchQueue(consumer, deps, times));
  const checkAll = () => Promise.all(watches.map(({ check }) => check()));
  return {
    reason: () => watches.map(({ reason }) => reason()).find((reason) => reason !== null) ?? null,
    ...runEvery({ intervalMs: times.everyMs, run: checkAll, runAtStart: checkAll }),
  };
}

function watchQueue(
  consumer: Consumer,
  { queues, log, fail }: QueueWatchDeps,
  { everyMs, stuckAfterMs }: WatchTimes,
): { reason(): string | null; check(): Promise<void> } {
  const queue = consumer.queue as QueueName;
  let reason: string | null = null;
  let waitingSince: { monotonicMs: number; fetchedCount: number } | undefined;
  let fetchedCountAtRestart: number | undefined;

  /** For how long jobs have been waiting while the consumer fetched none and ran none. */
  const stuckForMs = ({ waiting }: QueueHealth): number => {
    const [now, fetchedCount] = [performance.now(), consumer.fetchedCount()];
    const isIdle = waiting > 0 && consumer.idleForMs() > everyMs;
    if (!isIdle || waitingSince?.fetchedCount !== fetchedCount)
      waitingSince = isIdle ? { monotonicMs: now, fetchedCount } : undefined;
    return waitingSince ? now - waitingSince.monotonicMs : 0;
  };
  const restartOrFail = () => {
    if (consumer.fetchedCount() === fetchedCountAtRestart) {
      fail(new OperatorError(`Queue ${queue} is stuck; restarting this worker.`));
      return;
    }
    log.error('queue.stuck', { queue, hint: 'its consumer is replaced' });
    consumer.restart();
    waitingSince = undefined;
    fetchedCountAtRestart = consumer.fetchedCount();
  };
  return {
    reason: () => reason,
    async check() {
      try {
        const health = await queues.readHealth(queue);
        if (stuckForMs(health) < stuckAfterMs) {
          // A consumer that was just replaced has not proved yet that it fetches.
          if (health.waiting === 0 || consumer.fetchedCount() !== fetchedCountAtRestart) reason = null;
          return;
        }
        const isLimited = health.limits.length > 0;
        reason = isLimited
          ? `${queue} has ${health.waiting} waiting jobs: ${health.limits.join('; ')}`
          : `Queue ${queue} is stuck: ${health.waiting} jobs wait and none is fetched`;
        if (!isLimited) restartOrFail();
      } catch (error) {
        waitingSince = undefined;
        log.error('queue.check_failed', { queue, ...errorFields(error) });
      }
    },
  };
}
