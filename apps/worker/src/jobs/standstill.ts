import type { IngressState, QueueName, Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from '../maintenance/regularly.js';

export type StandstillDeps = { queues: Pick<Queues, 'ingressState'>; names: QueueName[]; log: Pick<Logger, 'error'> };

/** How often is looked, and for how long the same job may be in front or in a worker's hands. */
export type StandstillTimes = { everyMs: number; stillAfterMs: number };

const usual: StandstillTimes = { everyMs: 5_000, stillAfterMs: 60_000 };

export type StandstillWatch = {
  /** Why an ingress queue stands still; null while all move on. */
  reason(): string | null;
  close(): Promise<void>;
};

/** Watches ingress queues whose jobs are not taken, or not finished, and says why in the log. */
export function watchStandstill(deps: StandstillDeps, times = usual): StandstillWatch {
  const watches = deps.names.map((name) => watch(name, deps, times));
  const look = () => Promise.all(watches.map((one) => one.look()));
  const stop = regularly(times.everyMs, look, look);
  return {
    reason: () => watches.map((one) => one.reason()).find((reason) => reason !== null) ?? null,
    close: stop,
  };
}

function watch(name: QueueName, { queues, log }: StandstillDeps, { stillAfterMs }: StandstillTimes) {
  const [front, hands] = [openSame(), openSame()];
  let reason: string | null = null;
  const judge = (state: IngressState) => {
    const seconds = stillAfterMs / 1_000;
    const why = state.obstacles.map((obstacle) => `; ${obstacle}`).join('');
    const isOverwritten = state.obstacles.length > 0 && state.waiting === 0 && state.next === null;
    if (front.lastsMs(isOverwritten ? state.obstacles.join() : state.next) >= stillAfterMs)
      return `${name} stands still: ${state.waiting} events wait, and none was taken in for ${seconds} s${why}`;
    if (hands.lastsMs(state.active) >= stillAfterMs)
      return `${name} has a job that a worker took and did not finish for ${seconds} s: ${state.active}`;
    return null;
  };
  return {
    reason: () => reason,
    async look() {
      try {
        const found = judge(await queues.ingressState(name));
        if (found !== null && reason === null) log.error('ingress.standstill', { queue: name, reason: found });
        reason = found;
      } catch (error) {
        log.error('ingress.look_failed', { queue: name, ...errorFields(error) });
      }
    },
  };
}

/** For how long a value that is not null has been the same. */
function openSame(now = () => performance.now()) {
  let [last, since]: [string | null, number] = [null, 0];
  return {
    lastsMs(value: string | null): number {
      if (value !== last) [last, since] = [value, now()];
      return value === null ? 0 : now() - since;
    },
  };
}
