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
  /** Extends leases; answers with their new names, without those that have expired. */
  renew(tasks: DeliveryTask[]): Promise<Map<string, string>>;
  /** Ends a lease without an attempt. */
  release(task: DeliveryTask, waitMs: number): Promise<void>;
  /** Ends a delivery that killed its workers. */
  giveUp(deliveryId: string, reason: string): Promise<void>;
  /** Told of each delivery that this worker has no more. */
  onEnd(task: DeliveryTask, result: AttemptResult): void;
};

/** Where a leased delivery comes from: stored by this worker with its event, or claimed from those that waited. */
export type Origin = 'stored' | 'claimed';

/** The deliveries that this worker has under leases, and whose attempts it makes. */
export type LeasedDeliveries = {
  readonly leaseMs: number;
  /** `askedAt`: when the leases were asked for, on the clock of `performance`; none is older than that. */
  start(tasks: DeliveryTask[], askedAt: number, origin: Origin): void;
  /** How many more of an origin may be started. */
  room(origin: Origin): number;
  /** Resolves as soon as events may be taken in whose deliveries are started at once. */
  capacity(): Promise<void>;
  /** Resolves when none is left. */
  ended(): Promise<void>;
};

// Neither events that are taken in nor what waits in the ledger gets more than this share, so that each has its own.
const maxShare = 3 / 4;
// Trouble of our own, such as a secret that no key opens, spends no attempt.
const troubleWaitMs = 15_000;
// A delivery whose workers died this often runs alone, so that it takes no innocent one with it; and then it is given up.
const isolateAfter = 2;
const maxCrashes = 4;

const released: AttemptResult = { retryInMs: null, released: true };

/** Makes the attempts of leased deliveries, at most `maxLeased` at once, and extends the leases of those that take long. */
export function createLeasedDeliveries(deps: LeasedDeps): LeasedDeliveries {
  const running = new Map<string, { task: DeliveryTask; renewAt: number; end: Promise<void> }>();
  const counts = { stored: 0, claimed: 0 };
  const blocked: (() => void)[] = [];
  let lastIsolated: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const room = (origin: Origin) =>
    Math.max(0, Math.min(Math.ceil(deps.maxLeased * maxShare) - counts[origin], deps.maxLeased - running.size));
  const renewAll = async () => {
    const at = performance.now();
    const old = [...running.values()].filter(({ renewAt }) => renewAt <= at);
    if (old.length === 0) return;
    for (const one of old) one.renewAt = at + deps.leaseMs / 3;
    const leases = await deps.renew(old.map(({ task }) => task));
    for (const { task } of old) task.lease = leases.get(task.id) ?? task.lease;
  };
  const watch = () => {
    timer ??= setInterval(() => {
      renewAll().catch((error: unknown) => deps.log.error('lease.not_renewed', errorFields(error)));
      if (running.size === 0) timer = void clearInterval(timer);
    }, deps.leaseMs / 6);
  };
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
  const start = (task: DeliveryTask, askedAt: number, origin: Origin) => {
    // Its lease expired while its record still waits for PostgreSQL: the record decides.
    if (running.has(task.id)) return deps.log.error('lease.twice', { delivery_id: task.id });
    const times = { loadedAt: performance.now(), callBy: askedAt + deps.leaseMs - deps.callMs };
    counts[origin]++;
    const end = run(task, times).then((result) => {
      running.delete(task.id);
      counts[origin]--;
      deps.onEnd(task, result);
      for (const go of blocked.splice(0, room('stored'))) go();
    });
    running.set(task.id, { task, renewAt: askedAt + deps.leaseMs / 3, end });
    watch();
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, askedAt, origin) => tasks.forEach((task) => start(task, askedAt, origin)),
    room,
    capacity: () => (room('stored') > 0 ? Promise.resolve() : new Promise((resolve) => void blocked.push(resolve))),
    async ended() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ end }) => end));
      clearInterval(timer);
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
