import type { DeliveryTask } from '@ringback/database';
import type { QueuedDelivery } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { Held } from './deliver.js';

export type ClaimedDeps = {
  log: Logger;
  /** For how long a delivery is this worker's alone, and how much of that a call and its record may take. */
  leaseMs: number;
  callMs: number;
  /** So many in hand are enough, and so many of them that were parked. */
  most: number;
  mostParked(): number;
  deliver(task: DeliveryTask, held: Held): Promise<JobEnd>;
  /** Gives a delivery whose attempt failed the job of its retry. */
  enqueue(delivery: QueuedDelivery): Promise<void>;
  /** Called when one of them is out of hand. */
  onEnd(): void;
};

/** Deliveries that are this worker's for a while, so that it makes their attempts without a job. */
export type Claimed = {
  readonly leaseMs: number;
  /** `askedAt`: when they were asked for, on the clock of `performance`; their leases are not older than that. */
  start(tasks: DeliveryTask[], askedAt: number): void;
  /** The same with those that were parked. */
  resume(tasks: DeliveryTask[], askedAt: number): void;
  /** How many more of those that were parked are welcome. */
  free(): number;
  /** Resolves as soon as more of the others are welcome. */
  room(): Promise<void>;
  /** Resolves when all that were started are out of hand. */
  ended(): Promise<void>;
};

// This share of what may be in hand is for what was not parked: nobody's parked deliveries keep others out.
const reserved = 1 / 4;

/**
 * Makes the attempts of claimed deliveries. A failed attempt leads to a job, like any retry. When an attempt fails for a
 * reason of ours, the delivery is somebody else's as soon as its lease ends.
 */
export function openClaimed(deps: ClaimedDeps): Claimed {
  const mostWithParked = Math.ceil(deps.most * (1 - reserved));
  const running = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];

  const make = async (task: DeliveryTask, held: Held) => {
    try {
      const end = await deps.deliver(task, held);
      if (end.type !== 'again') return;
      await deps.enqueue({ id: task.id, channel: task.channel, dueInMs: end.waitMs, attempts: task.attempts + 1 });
    } catch (error) {
      deps.log.error('delivery.trouble', { delivery_id: task.id, ...errorFields(error) });
    }
  };
  let resumed = 0;
  const start = (task: DeliveryTask, askedAt: number, onEnd?: () => void) => {
    const callBy = askedAt + deps.leaseMs - deps.callMs;
    const run = make(task, { loadedAt: performance.now(), callBy }).finally(() => {
      running.delete(run);
      onEnd?.();
      deps.onEnd();
      if (running.size >= deps.most) return;
      for (const go of waiting.splice(0, deps.most - running.size)) go();
    });
    running.add(run);
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, askedAt) => tasks.forEach((task) => start(task, askedAt)),
    resume(tasks, askedAt) {
      resumed += tasks.length;
      tasks.forEach((task) => start(task, askedAt, () => resumed--));
    },
    free: () => Math.max(0, Math.min(deps.mostParked() - resumed, mostWithParked - running.size)),
    room: () => (running.size < deps.most ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
    async ended() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
