import type { Queues } from '@ringback/queue';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/runtime';
import { type PeriodicTask, runEvery } from '../run-every.js';
import type { Consumer } from './consumer.js';

export type WatchdogDeps = { queues: Pick<Queues, 'countFetchable'>; consumers: Consumer[]; log: Logger; fail: Fail };

/** The interval of checks, and how long a consumer may stay idle, in checks, while jobs wait. */
export type WatchdogTimes = { everyMs: number; stuckAfterMs: number };

const defaultTimes: WatchdogTimes = { everyMs: 10_000, stuckAfterMs: 30_000 };

/**
 * Checks every 10 s for consumers that are idle although jobs wait, and restarts one that stays so for 30 s. BullMQ's
 * workers have been seen to do this after a reconnect. If a restart does not help, the watchdog ends the process, so
 * that its supervisor starts a new one.
 */
export function startWatchdog(deps: WatchdogDeps, times = defaultTimes): PeriodicTask {
  const watches = deps.consumers.map((consumer) => watch(consumer, deps, times));
  return runEvery({ intervalMs: times.everyMs, run: () => Promise.all(watches.map((check) => check())) });
}

/** Returns a function that checks the consumer once and never throws. */
function watch(
  consumer: Consumer,
  { queues, log, fail }: WatchdogDeps,
  { everyMs, stuckAfterMs }: WatchdogTimes,
): () => Promise<void> {
  let stuckSince: number | undefined;
  let fetchedAtRestart: number | undefined;
  const isStuck = async () => consumer.idleForMs() > everyMs && (await queues.countFetchable(consumer.queue)) > 0;
  const handleStuck = () => {
    const now = performance.now();
    stuckSince ??= now;
    if (now - stuckSince < stuckAfterMs) return;
    if (consumer.fetchedCount() === fetchedAtRestart) {
      fail(
        new OperatorError(
          `the queue ${consumer.queue} has waiting jobs but gives none to this worker, which ends so that its supervisor restarts it`,
        ),
      );
      return;
    }
    log.error('consumer.stuck', { queue: consumer.queue });
    consumer.restart();
    stuckSince = undefined;
    fetchedAtRestart = consumer.fetchedCount();
  };
  return async () => {
    try {
      if (await isStuck()) handleStuck();
      else stuckSince = undefined;
    } catch (error) {
      stuckSince = undefined;
      log.error('watchdog.failed', errorFields(error));
    }
  };
}
