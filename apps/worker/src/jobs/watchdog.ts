import type { Queues } from '@ringback/queue';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/runtime';
import type { Consumer } from './consumers.js';

export type WatchdogDeps = { queues: Pick<Queues, 'waiting'>; consumers: Consumer[]; log: Logger; fail: Fail };

/** How often is looked, and how long jobs may wait while none is taken. */
export type WatchdogTimes = { everyMs: number; stuckAfterMs: number };

const usual: WatchdogTimes = { everyMs: 10_000, stuckAfterMs: 30_000 };

/**
 * Looks for consumers that take nothing for 30 s while jobs wait, which has happened to BullMQ's workers after a
 * reconnect. Such a one is opened anew, and when that does not help, the process ends and is started again by whoever
 * runs it. Runs until the returned function is called.
 */
export function startWatchdog(deps: WatchdogDeps, times = usual): () => void {
  const watches = deps.consumers.map((consumer) => watch(consumer, deps, times));
  const round = () => Promise.all(watches.map((look) => look()));
  const timer = setInterval(() => void round(), times.everyMs);
  return () => clearInterval(timer);
}

/** Resolves when it has looked once more, whatever it found. */
function watch(
  consumer: Consumer,
  { queues, log, fail }: WatchdogDeps,
  { everyMs, stuckAfterMs }: WatchdogTimes,
): () => Promise<void> {
  let stuckSince: number | undefined;
  // How many jobs it had taken when it was opened anew.
  let takenBefore: number | undefined;
  const isStuck = async () => consumer.idleForMs() > everyMs && (await queues.waiting(consumer.queue)) > 0;
  const act = () => {
    const now = performance.now();
    stuckSince ??= now;
    if (now - stuckSince < stuckAfterMs) return;
    if (consumer.taken() === takenBefore) {
      fail(new OperatorError(`the queue ${consumer.queue} has jobs and gives none; starting anew`));
      return;
    }
    log.error('consumer.stuck', { queue: consumer.queue });
    consumer.reopen();
    [stuckSince, takenBefore] = [undefined, consumer.taken()];
  };
  return async () => {
    try {
      if (await isStuck()) act();
      else stuckSince = undefined;
    } catch (error) {
      stuckSince = undefined;
      log.error('watchdog.failed', errorFields(error));
    }
  };
}
