import type { EventQueueState, QueueName, Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { type PeriodicTask, runEvery } from '../run-every.js';

export type StallWatchDeps = {
  queues: Pick<Queues, 'readEventQueueState'>;
  queueNames: QueueName[];
  log: Pick<Logger, 'error'>;
};

/** The interval of checks, and the time after which a queue without a change is stalled. */
export type StallTimes = { everyMs: number; stalledAfterMs: number };

const defaultTimes: StallTimes = { everyMs: 5_000, stalledAfterMs: 60_000 };

export type StallWatch = PeriodicTask & {
  /** Why an event queue is stalled; null while all make progress. */
  reason(): string | null;
};

/** Reports a queue whose next waiting job, or oldest active job, has not changed for 60 s. Logs each stall once. */
export function watchForStalls(deps: StallWatchDeps, times = defaultTimes): StallWatch {
  const watches = deps.queueNames.map((name) => watch(name, deps, times));
  const checkAll = () => Promise.all(watches.map(({ check }) => check()));
  return {
    reason: () => watches.map((one) => one.reason()).find((reason) => reason !== null) ?? null,
    ...runEvery({ intervalMs: times.everyMs, run: checkAll, runAtStart: checkAll }),
  };
}

function watch(name: QueueName, { queues, log }: StallWatchDeps, { stalledAfterMs }: StallTimes) {
  const nextJob = createStopwatch();
  const activeJob = createStopwatch();
  let reason: string | null = null;
  const reasonFor = ({ waiting, next, active, fetchBlockers, isKeyOverwritten }: EventQueueState) => {
    const seconds = stalledAfterMs / 1_000;
    const why = fetchBlockers.join('; ');
    // The numbers are unknown while one of BullMQ's own keys is overwritten.
    if (nextJob.sameForMs(isKeyOverwritten ? why : next) >= stalledAfterMs) {
      if (isKeyOverwritten) return `${name} is stalled: ${why}`;
      const stall = `${name} is stalled: ${waiting} events wait, and no worker fetched one for ${seconds} s`;
      return why === '' ? stall : `${stall}; ${why}`;
    }
    if (activeJob.sameForMs(active) >= stalledAfterMs)
      return `${name} has a job that a worker fetched and did not finish for ${seconds} s: ${active}`;
    return null;
  };
  return {
    reason: () => reason,
    async check() {
      try {
        const found = reasonFor(await queues.readEventQueueState(name));
        if (found !== null && reason === null) log.error('event_queue.stalled', { queue: name, reason: found });
        reason = found;
      } catch (error) {
        log.error('event_queue.check_failed', { queue: name, ...errorFields(error) });
      }
    },
  };
}

/** Measures how long a value has stayed the same; 0 ms for null. */
function createStopwatch(now = () => performance.now()) {
  let last: string | null = null;
  let since = 0;
  return {
    sameForMs(value: string | null): number {
      if (value !== last) since = now();
      last = value;
      return value === null ? 0 : now() - since;
    },
  };
}
