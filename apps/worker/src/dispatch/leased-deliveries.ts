import type { DeliveryTask } from '@ringback/database';
import { errorFields } from '@ringback/runtime';
import type { LeaseResult, LeaseTimes } from '../attempt/attempt.js';
import { createCrashIsolation, type CrashIsolationDeps } from './crash-isolation.js';

export type LeasedDeliveriesDeps = CrashIsolationDeps & {
  leaseMs: number;
  /** Time kept at the end of a lease for sending the request and recording the attempt. */
  reservedMs: number;
  /** `capacity` keeps the leased deliveries to about this number. */
  maxLeased: number;
  /** Extends the leases that have not ended. */
  renew(tasks: DeliveryTask[]): Promise<void>;
  /** Called when the lease of a delivery has ended, with or without an attempt. */
  onEnd(task: DeliveryTask, result: LeaseResult): void;
};

/** `stored`: leased when this worker stored its event. `claimed`: claimed from the database. */
export type LeaseOrigin = 'stored' | 'claimed';

/** The deliveries that this worker has leased and attempts. */
export type LeasedDeliveries = {
  readonly leaseMs: number;
  /**
   * Starts the attempts of leased deliveries. Callers ask `capacity` before they request leases. `requestedAt`:
   * `performance.now()` before that request; no lease started earlier.
   */
  start(tasks: DeliveryTask[], requestedAt: number, origin: LeaseOrigin): void;
  /** How many more deliveries of this origin may be leased. */
  capacity(origin: LeaseOrigin): number;
  /** Resolves when there is capacity for the deliveries of new events, or when the worker stops. */
  waitForCapacity(): Promise<void>;
  /** Leaves no capacity: events that are stored from now on are left to other workers. */
  close(): void;
  /** Resolves when no delivery is leased. */
  waitUntilDrained(): Promise<void>;
};

// Stored and claimed deliveries each get at most this share of `maxLeased`, so about a quarter is left for the others.
const maxShare = 3 / 4;
// An internal error uses up no attempt. The delivery may be claimed again after this time.
const errorWaitMs = 15_000;

type HeldLease = { task: DeliveryTask; requestedAt: number; origin: LeaseOrigin };
/** `next`: the same delivery, leased again before this attempt ended. */
type Running = HeldLease & { renewAt: number; end: Promise<void>; next?: HeldLease };

/** Attempts leased deliveries, and extends each lease when a third of it has passed. */
export function createLeasedDeliveries(deps: LeasedDeliveriesDeps): LeasedDeliveries {
  const running = new Map<string, Running>();
  const counts = { stored: 0, claimed: 0 };
  const capacityWaiters: (() => void)[] = [];
  const attempt = createCrashIsolation(deps);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const capacity = (origin: LeaseOrigin) => {
    if (isClosed) return 0;
    return Math.max(0, Math.min(Math.ceil(deps.maxLeased * maxShare) - counts[origin], deps.maxLeased - running.size));
  };
  const renewDue = async () => {
    const at = performance.now();
    const due = [...running.values()].filter(({ renewAt }) => renewAt <= at);
    if (due.length === 0) return;
    for (const one of due) one.renewAt = at + deps.leaseMs / 3;
    await deps.renew(due.map(({ task, next }) => next?.task ?? task));
  };
  const startRenewing = () => {
    timer ??= setInterval(() => {
      renewDue().catch((error: unknown) => deps.log.error('lease.not_renewed', errorFields(error)));
      if (running.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    }, deps.leaseMs / 6);
  };
  const runAttempt = async (task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> => {
    try {
      return await attempt(task, times);
    } catch (error) {
      deps.log.error('delivery.error', { delivery_id: task.id, ...errorFields(error) });
      await deps.releaseLease(task, errorWaitMs).catch(() => undefined);
      return { type: 'dueIn', waitMs: errorWaitMs };
    }
  };
  const startOne = (held: HeldLease, loadedAt: number) => {
    const { task, requestedAt, origin } = held;
    const current = running.get(task.id);
    // A delivery may be leased again while this worker still attempts it: its lease expired, or the reply to the statement that
    // ended the lease is late.
    if (current) {
      if (requestedAt < (current.next ?? current).requestedAt) return;
      current.next = held;
      current.renewAt = requestedAt + deps.leaseMs / 3;
      return;
    }
    counts[origin]++;
    const sendBy = requestedAt + deps.leaseMs - deps.reservedMs;
    const end = runAttempt(task, { loadedAt, sendBy }).then((result) => {
      const next = running.get(task.id)?.next;
      running.delete(task.id);
      counts[origin]--;
      deps.onEnd(task, result);
      // -Infinity forces a reload, because the attempt that has ended may have ended this lease too.
      if (next) startOne(next, -Infinity);
      // When no lease is left, no later lease end will wake the waiters, so all are resumed.
      const resumed = running.size === 0 ? capacityWaiters.length : capacity('stored');
      for (const resume of capacityWaiters.splice(0, resumed)) resume();
    });
    running.set(task.id, { ...held, renewAt: requestedAt + deps.leaseMs / 3, end });
    startRenewing();
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, requestedAt, origin) =>
      tasks.forEach((task) => startOne({ task, requestedAt, origin }, performance.now())),
    capacity,
    waitForCapacity: () =>
      isClosed || capacity('stored') > 0
        ? Promise.resolve()
        : new Promise((resolve) => void capacityWaiters.push(resolve)),
    close() {
      isClosed = true;
      for (const resume of capacityWaiters.splice(0)) resume();
    },
    async waitUntilDrained() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ end }) => end));
      clearInterval(timer);
    },
  };
}
