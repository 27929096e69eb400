import type { EventQueueState, QueueName, Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/process';
import { type PeriodicTask, runEvery } from '../run-every.js';

export type StallWatchDeps = {
  queues: Pick<Queues, 'readEventQueueState'>;
  queueNames: QueueName[];
  log: Pick<Logger, 'error'>;
};

/** `everyMs`: the interval of checks. `stalledAfterMs`: the time without a change after which a queue is stalled. */
export type StallTimes = { everyMs: number; stalledAfterMs: number };

const defaultTimes: StallTimes = { everyMs: 5_000, stalledAfterMs: 60_000 };

export type StallWatch = PeriodicTask & {
  /** Why an event queue is stalled; null while none is. */
  reason(): string | null;
};

/**
 * Reports an event queue whose next waiting job, or whose longest active job, has been the same for 60 s, or of which a
 * BullMQ key has been overwritten for 60 s. Logs each stall once.
 */
export function watchForStalls(deps: StallWatchDeps, times = defaultTimes): StallWatch {
  const watches = deps.queueNames.map((name) => watchQueue(name, deps, times));
  const checkAll = () => Promise.all(watches.map(({ check }) => check()));
  return {
    reason: () => watches.map((queueWatch) => queueWatch.reason()).find((reason) => reason !== null) ?? null,
    ...runEvery({ intervalMs: times.everyMs, run: checkAll, runAtStart: checkAll }),
  };
}

function watchQueue(name: QueueName, { queues, log }: StallWatchDeps, { stalledAfterMs }: StallTimes) {
  const nextJobStopwatch = createStopwatch();
  const activeJobStopwatch = createStopwatch();
  let reason: string | null = null;
  const reasonFor = ({ waiting, next, active, fetchBlockers, isKeyOverwritten }: EventQueueState) => {
    const seconds = stalledAfterMs / 1_000;
    const blockers = fetchBlockers.join('; ');
    // The numbers are unknown while one of BullMQ's own keys is overwritten.
    if (nextJobStopwatch.sameForMs(isKeyOverwritten ? blockers : next) >= stalledAfterMs) {
      if (isKeyOverwritten) return `${name} is stalled: ${blockers}`;
      const stall = `${name} is stalled: ${waiting} events wait, and no worker fetched one for ${seconds} s`;
      return blockers === '' ? stall : `${stall}; ${blockers}`;
    }
    if (activeJobStopwatch.sameForMs(active) >= stalledAfterMs)
      return `${name} has a job that a worker fetched and did not finish for ${seconds} s: ${active}`;
    return null;
  };
  return {
    reason: () => reason,
    async check() {
      try {
        const newReason = reasonFor(await queues.readEventQueueState(name));
        if (newReason !== null && reason === null) log.error('event_queue.stalled', { queue: name, reason: newReason });
        reason = newReason;
      } catch (error) {
        log.error('event_queue.check_failed', { queue: name, ...errorFields(error) });
      }
    },
  };
}

/** Measures for how long the calls have passed the same value; 0 ms for null. */
function createStopwatch(now = () => performance.now()) {
  let last: string | null = null;
  let sinceMonotonicMs = 0;
  return {
    sameForMs(value: string | null): number {
      if (value !== last) sinceMonotonicMs = now();
      last = value;
      return value === null ? 0 : now() - sinceMonotonicMs;
    },
  };
}
