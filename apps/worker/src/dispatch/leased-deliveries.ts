import type { DeliveryTask } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { AttemptResult, LeaseTimes } from '../attempt/attempt.js';

export type LeasedDeliveriesDeps = {
  log: Logger;
  leaseMs: number;
  /** The part of a lease that a call and its record may take. */
  callMs: number;
  /** Maximum leased deliveries. */
  maxLeased: number;
  attempt(task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult>;
  /** Extends leases; resolves with the new lease of each delivery whose lease has not expired. */
  renew(tasks: DeliveryTask[]): Promise<Map<string, string>>;
  /** Ends a lease without an attempt. */
  release(task: DeliveryTask, waitMs: number): Promise<void>;
  /** Fails a delivery that crashes its workers. */
  fail(deliveryId: string, reason: string): Promise<void>;
  /** Called when a delivery's lease or the delivery has ended. */
  onEnd(task: DeliveryTask, result: AttemptResult): void;
};

/** `stored`: leased when this worker stored its event. `claimed`: claimed from the database. */
export type Origin = 'stored' | 'claimed';

/** The deliveries that this worker has leased, and attempts. */
export type LeasedDeliveries = {
  readonly leaseMs: number;
  /** `askedAt`: `performance.now()` before the leases were requested; none is older. */
  start(tasks: DeliveryTask[], askedAt: number, origin: Origin): void;
  /** How many more deliveries of an origin may be started. */
  capacity(origin: Origin): number;
  /** Resolves when there is capacity for the deliveries of new events. */
  waitForCapacity(): Promise<void>;
  /** Resolves when no delivery is leased. */
  drained(): Promise<void>;
};

// Deliveries of new events and claimed ones get at most this share each, so a quarter is left for the other.
const maxShare = 3 / 4;
// Trouble of our own spends no attempt; the delivery may be claimed again after this time.
const troubleWaitMs = 15_000;
// After 2 crashes a delivery runs alone in its worker, so that a further crash is certainly its own; after 4 it fails.
const isolateAfterCrashes = 2;
const maxCrashes = 4;

const released: AttemptResult = { retryInMs: null, released: true };

/** Attempts leased deliveries, at most `maxLeased` concurrently. Extends a lease that is a third over. */
export function createLeasedDeliveries(deps: LeasedDeliveriesDeps): LeasedDeliveries {
  const running = new Map<string, { task: DeliveryTask; renewAt: number; end: Promise<void> }>();
  const counts = { stored: 0, claimed: 0 };
  const capacityWaiters: (() => void)[] = [];
  let lastIsolated: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const capacity = (origin: Origin) =>
    Math.max(0, Math.min(Math.ceil(deps.maxLeased * maxShare) - counts[origin], deps.maxLeased - running.size));
  const renewAll = async () => {
    const at = performance.now();
    const expiring = [...running.values()].filter(({ renewAt }) => renewAt <= at);
    if (expiring.length === 0) return;
    for (const delivery of expiring) delivery.renewAt = at + deps.leaseMs / 3;
    const leases = await deps.renew(expiring.map(({ task }) => task));
    for (const { task } of expiring) task.lease = leases.get(task.id) ?? task.lease;
  };
  const startRenewing = () => {
    timer ??= setInterval(() => {
      renewAll().catch((error: unknown) => deps.log.error('lease.not_renewed', errorFields(error)));
      if (running.size === 0) timer = void clearInterval(timer);
    }, deps.leaseMs / 6);
  };
  const attempt = (task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> => {
    if (task.crashCount < isolateAfterCrashes) return deps.attempt(task, times);
    const current = lastIsolated.then(() => attemptAlone(deps, task, times));
    lastIsolated = current.catch(() => undefined);
    return current;
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
    // The lease expired while this worker still attempts or records the delivery, so that it was claimed twice.
    if (running.has(task.id)) return deps.log.error('lease.twice', { delivery_id: task.id });
    const times = { loadedAt: performance.now(), callBy: askedAt + deps.leaseMs - deps.callMs };
    counts[origin]++;
    const end = run(task, times).then((result) => {
      running.delete(task.id);
      counts[origin]--;
      deps.onEnd(task, result);
      for (const resume of capacityWaiters.splice(0, capacity('stored'))) resume();
    });
    running.set(task.id, { task, renewAt: askedAt + deps.leaseMs / 3, end });
    startRenewing();
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, askedAt, origin) => tasks.forEach((task) => start(task, askedAt, origin)),
    capacity,
    waitForCapacity: () =>
      capacity('stored') > 0 ? Promise.resolve() : new Promise((resolve) => void capacityWaiters.push(resolve)),
    async drained() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ end }) => end));
      clearInterval(timer);
    },
  };
}

async function attemptAlone(deps: LeasedDeliveriesDeps, task: DeliveryTask, times: LeaseTimes): Promise<AttemptResult> {
  if (task.crashCount >= maxCrashes) {
    const reason = 'its worker died every time it was started';
    deps.log.error('delivery.given_up', { delivery_id: task.id, reason });
    await deps.fail(task.id, reason);
    return { retryInMs: null, released: false };
  }
  // Its lease may be almost over when others ran alone before it.
  if (performance.now() <= times.callBy) return deps.attempt(task, times);
  await deps.release(task, 0);
  return released;
}
