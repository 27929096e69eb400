import type { DeliveryTask } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { AttemptResult, LeaseTimes } from '../attempt/attempt.js';

export type LeasedDeps = {
  log: Logger;
  leaseMs: number;
  /** How much of a lease a call and its record may take. */
  callMs: number;
  /** Deliveries leased at most. */
  maxLeased: number;
  attempt(task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult>;
  /** Ends a lease without an attempt. */
  release(task: DeliveryTask, waitMs: number): Promise<void>;
  /** Ends a delivery that killed its workers. */
  giveUp(deliveryId: string, reason: string): Promise<void>;
  /** Told of each delivery that this worker has no more. */
  onEnd(task: DeliveryTask, result: AttemptResult): void;
};

/** The deliveries that this worker has under leases, and whose attempts it makes. */
export type LeasedDeliveries = {
  readonly leaseMs: number;
  /** `askedAt`: when the leases were asked for, on the clock of `performance`; none is older than that. */
  start(tasks: DeliveryTask[], askedAt: number): void;
  /** How many more that waited in the ledger may be started. */
  waitingCapacity(): number;
  /** Resolves as soon as events may be taken in whose deliveries are started at once. */
  capacity(): Promise<void>;
  /** Resolves when none is left. */
  ended(): Promise<void>;
};

// This share is kept for events that were just taken in, however much waits.
const reservedShare = 1 / 4;
// Trouble of our own, such as a secret that no key opens, spends no attempt.
const troubleWaitMs = 15_000;
// A delivery whose workers died this often runs alone, so that it takes no innocent one with it; and then it is given up.
const isolateAfter = 2;
const maxCrashes = 4;

const released: AttemptResult = { retryInMs: null, released: true };

/** Makes the attempts of leased deliveries, at most `maxLeased` at once. */
export function createLeasedDeliveries(deps: LeasedDeps): LeasedDeliveries {
  const maxWithWaiting = Math.ceil(deps.maxLeased * (1 - reservedShare));
  const running = new Set<Promise<void>>();
  const ids = new Set<string>();
  const blocked: (() => void)[] = [];
  let lastIsolated: Promise<unknown> = Promise.resolve();

  const attempt = (task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> => {
    if (task.crashCount < isolateAfter) return deps.attempt(task, times);
    const mine = lastIsolated.then(() => attemptAlone(deps, task, times));
    lastIsolated = mine.catch(() => undefined);
    return mine;
  };
  const run = async (task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> => {
    try {
      return await attempt(task, times);
    } catch (error) {
      deps.log.error('delivery.trouble', { delivery_id: task.id, ...errorFields(error) });
      await deps.release(task, troubleWaitMs).catch(() => undefined);
      return released;
    }
  };
  const start = (task: DeliveryTask, askedAt: number) => {
    // Its lease expired while its record still waits for PostgreSQL: the record decides.
    if (ids.has(task.id)) return;
    ids.add(task.id);
    const times = { loadedAt: performance.now(), callBy: askedAt + deps.leaseMs - deps.callMs };
    const one = run(task, times).then((result) => {
      running.delete(one);
      ids.delete(task.id);
      deps.onEnd(task, result);
      if (running.size >= deps.maxLeased) return;
      for (const go of blocked.splice(0, deps.maxLeased - running.size)) go();
    });
    running.add(one);
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, askedAt) => tasks.forEach((task) => start(task, askedAt)),
    waitingCapacity: () => Math.max(0, maxWithWaiting - running.size),
    capacity: () =>
      running.size < deps.maxLeased ? Promise.resolve() : new Promise((resolve) => void blocked.push(resolve)),
    async ended() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

async function attemptAlone(deps: LeasedDeps, task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> {
  if (task.crashCount >= maxCrashes) {
    const reason = 'its worker died every time it was started';
    deps.log.error('delivery.given_up', { delivery_id: task.id, reason });
    await deps.giveUp(task.id, reason);
    return { retryInMs: null, released: false };
  }
  // Others before it may have taken most of its lease.
  if (performance.now() <= times.callBy) return deps.attempt(task, times);
  await deps.release(task, 0);
  return released;
}
