import type { IngressState, QueueName, Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { runEvery } from '../run-every.js';

export type StallWatchDeps = {
  queues: Pick<Queues, 'readIngressState'>;
  names: QueueName[];
  log: Pick<Logger, 'error'>;
};

/** The interval of checks, and how long the same job may stay the next one, or stay active. */
export type StallTimes = { everyMs: number; stalledAfterMs: number };

const defaultTimes: StallTimes = { everyMs: 5_000, stalledAfterMs: 60_000 };

export type StallWatch = {
  /** Why an ingress queue is stalled; null while all make progress. */
  reason(): string | null;
  close(): Promise<void>;
};

/** Watches for ingress queues in which no event was fetched, or one did not finish, for 60 s. Logs the reason once. */
export function watchForStalls(deps: StallWatchDeps, times = defaultTimes): StallWatch {
  const watches = deps.names.map((name) => watch(name, deps, times));
  const checkAll = () => Promise.all(watches.map(({ check }) => check()));
  const stop = runEvery(times.everyMs, checkAll, checkAll);
  return {
    reason: () => watches.map((one) => one.reason()).find((reason) => reason !== null) ?? null,
    close: stop,
  };
}

function watch(name: QueueName, { queues, log }: StallWatchDeps, { stalledAfterMs }: StallTimes) {
  const nextJob = createStopwatch();
  const activeJob = createStopwatch();
  let reason: string | null = null;
  const reasonFor = (state: IngressState) => {
    const seconds = stalledAfterMs / 1_000;
    const why = state.fetchBlockers.map((blocker) => `; ${blocker}`).join('');
    if (nextJob.sameForMs(state.isKeyOverwritten ? state.fetchBlockers.join() : state.next) >= stalledAfterMs)
      return `${name} is stalled: ${state.waiting} events wait, and no worker fetched one for ${seconds} s${why}`;
    if (activeJob.sameForMs(state.active) >= stalledAfterMs)
      return `${name} has a job that a worker fetched and did not finish for ${seconds} s: ${state.active}`;
    return null;
  };
  return {
    reason: () => reason,
    async check() {
      try {
        const found = reasonFor(await queues.readIngressState(name));
        if (found !== null && reason === null) log.error('ingress.stalled', { queue: name, reason: found });
        reason = found;
      } catch (error) {
        log.error('ingress.check_failed', { queue: name, ...errorFields(error) });
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
