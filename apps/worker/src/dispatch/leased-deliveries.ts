import type { DeliveryTask } from '@ringback/ledger';
import { errorFields } from '@ringback/process';
import type { LeaseResult, LeaseTimes } from '../attempt/attempt.js';
import { createDeliveryIsolation, type DeliveryIsolationDeps } from './delivery-isolation.js';
import { createLeaseCapacity, type LeaseOrigin } from './lease-capacity.js';
import { createLeaseRenewer, type LeaseRenewerDeps } from './lease-renewer.js';

export type LeasedDeliveriesDeps = DeliveryIsolationDeps &
  LeaseRenewerDeps & {
    /** Time kept at the end of a lease for sending the request and recording the attempt. */
    reservedMs: number;
    /** Target maximum. Concurrent requests for leases may exceed it (`createLeaseCapacity`). */
    maxLeased: number;
  };

/** Called when the lease of a delivery has ended, with or without an attempt. */
export type LeaseEndListener = (task: DeliveryTask, result: LeaseResult) => void;

/** The deliveries that this worker has leased and attempts. */
export type LeasedDeliveries = {
  readonly leaseMs: number;
  /**
   * Starts the attempts of leased deliveries. Callers ask `availableLeases` before they request leases.
   * `requestedAtMonotonicMs`: the time before that request; no lease started earlier.
   */
  start(tasks: DeliveryTask[], requestedAtMonotonicMs: number, origin: LeaseOrigin): void;
  /** Sets the function that is called at the end of each lease. */
  setLeaseEndListener(listener: LeaseEndListener): void;
  /** How many more deliveries of this origin may be leased. */
  availableLeases(origin: LeaseOrigin): number;
  /** Resolves when there is capacity for the deliveries of new events, or when the worker stops. */
  waitForIngestCapacity(): Promise<void>;
  /** Makes no more leases available: deliveries of events that are stored from now on are left to other workers. */
  close(): void;
  /** Resolves when no delivery is leased, and then stops the renewal of leases. */
  waitUntilDrained(): Promise<void>;
};

// After an internal error, the delivery may be claimed again after this time. The error uses up no attempt.
const errorWaitMs = 15_000;

type Lease = { task: DeliveryTask; requestedAtMonotonicMs: number; origin: LeaseOrigin };
/** `next`: the same delivery, leased again before this attempt ended. */
type Running = { lease: Lease; end: Promise<void>; next?: Lease };

/** Attempts leased deliveries. While an attempt runs, its lease is renewed. */
export function createLeasedDeliveries(deps: LeasedDeliveriesDeps): LeasedDeliveries {
  const running = new Map<string, Running>();
  const capacity = createLeaseCapacity(deps);
  const renewer = createLeaseRenewer(deps);
  const attempt = createDeliveryIsolation(deps);
  let leaseEndListener: LeaseEndListener = () => undefined;

  const run = async (task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> => {
    try {
      return await attempt(task, times);
    } catch (error) {
      deps.log.error('delivery.error', { delivery_id: task.id, ...errorFields(error) });
      await deps.releaseLease(task, errorWaitMs).catch(() => undefined);
      return { type: 'dueIn', waitMs: errorWaitMs };
    }
  };
  const handleLeaseEnd = ({ task, origin }: Lease, result: LeaseResult) => {
    const next = running.get(task.id)?.next;
    running.delete(task.id);
    renewer.remove(task.id);
    leaseEndListener(task, result);
    // Forces a reload: recording the previous attempt may already have ended this newer lease.
    if (next) startNow(next, -Infinity);
    capacity.release(origin);
  };
  const startNow = (lease: Lease, loadedAtMonotonicMs: number) => {
    const { task, requestedAtMonotonicMs, origin } = lease;
    capacity.acquire(origin);
    renewer.add(task, requestedAtMonotonicMs);
    const sendByMonotonicMs = requestedAtMonotonicMs + deps.leaseMs - deps.reservedMs;
    const end = run(task, { loadedAtMonotonicMs, sendByMonotonicMs }).then((result) => handleLeaseEnd(lease, result));
    running.set(task.id, { lease, end });
  };
  /**
   * Starts the attempt of a lease. While an attempt of the same delivery runs, keeps the newest lease until it has
   * ended. A delivery may be leased again while this worker still attempts it: its lease expired, or this process has
   * not yet received the reply to the statement that ended the lease.
   */
  const startOrKeepForLater = (lease: Lease) => {
    const current = running.get(lease.task.id);
    if (!current) return startNow(lease, performance.now());
    // An older lease of the same delivery is ignored.
    if (lease.requestedAtMonotonicMs < (current.next ?? current.lease).requestedAtMonotonicMs) return;
    current.next = lease;
    renewer.add(lease.task, lease.requestedAtMonotonicMs);
  };
  return {
    leaseMs: deps.leaseMs,
    start: (tasks, requestedAtMonotonicMs, origin) =>
      tasks.forEach((task) => startOrKeepForLater({ task, requestedAtMonotonicMs, origin })),
    setLeaseEndListener: (listener) => void (leaseEndListener = listener),
    availableLeases: capacity.availableLeases,
    waitForIngestCapacity: capacity.waitForIngestCapacity,
    close: capacity.close,
    async waitUntilDrained() {
      while (running.size > 0) await Promise.allSettled([...running.values()].map(({ end }) => end));
      renewer.stop();
    },
  };
}
