import type { Queues } from '@ringback/queue';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/process';
import { type PeriodicTask, runEvery } from '../run-every.js';
import type { Consumer } from './consumer.js';

export type WatchdogDeps = { queues: Pick<Queues, 'countFetchable'>; consumers: Consumer[]; log: Logger; fail: Fail };

/**
 * `everyMs`: the interval of checks. A consumer that has been idle for longer than this while jobs wait is stuck.
 * `stuckAfterMs`: how long the checks may find it stuck before it is restarted.
 */
export type WatchdogTimes = { everyMs: number; stuckAfterMs: number };

const defaultTimes: WatchdogTimes = { everyMs: 10_000, stuckAfterMs: 30_000 };

/**
 * Checks every 10 s for consumers that are idle although jobs wait, and restarts a consumer that checks have found idle
 * for 30 s. BullMQ's workers have been seen to stop fetching after a reconnect. If a consumer has fetched nothing since
 * its restart, the watchdog ends the process, so that its supervisor starts a new one.
 */
export function startWatchdog(deps: WatchdogDeps, times = defaultTimes): PeriodicTask {
  const checks = deps.consumers.map((consumer) => createCheck(consumer, deps, times));
  return runEvery({ intervalMs: times.everyMs, run: () => Promise.all(checks.map((check) => check())) });
}

/** Returns a function that checks the consumer once and never throws. */
function createCheck(
  consumer: Consumer,
  { queues, log, fail }: WatchdogDeps,
  { everyMs, stuckAfterMs }: WatchdogTimes,
): () => Promise<void> {
  let stuckSinceMonotonicMs: number | undefined;
  let fetchedCountAtRestart: number | undefined;
  const isStuck = async () => consumer.idleForMs() > everyMs && (await queues.countFetchable(consumer.queue)) > 0;
  const restartOrFail = () => {
    const now = performance.now();
    stuckSinceMonotonicMs ??= now;
    if (now - stuckSinceMonotonicMs < stuckAfterMs) return;
    if (consumer.fetchedCount() === fetchedCountAtRestart) {
      fail(
        new OperatorError(
          `the queue ${consumer.queue} has waiting jobs but gives none to this worker, which ends so that its supervisor restarts it`,
        ),
      );
      return;
    }
    log.error('consumer.stuck', { queue: consumer.queue });
    consumer.restart();
    stuckSinceMonotonicMs = undefined;
    fetchedCountAtRestart = consumer.fetchedCount();
  };
  return async () => {
    try {
      if (await isStuck()) restartOrFail();
      else stuckSinceMonotonicMs = undefined;
    } catch (error) {
      stuckSinceMonotonicMs = undefined;
      log.error('watchdog.failed', errorFields(error));
    }
  };
}
