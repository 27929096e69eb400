import { setImmediate } from 'node:timers/promises';
import type { DeliveryTask } from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import type { AttemptExecutor, LeaseResult } from '../attempt/attempt.js';

export type DeliveryIsolationDeps = {
  log: Pick<Logger, 'error'>;
  attempt: AttemptExecutor;
  /** Ends a lease without an attempt. The delivery may be claimed again after `waitMs`. */
  releaseLease(task: DeliveryTask, waitMs: number): Promise<void>;
  /** Fails a delivery whose leases keep expiring, if it still has this lease. */
  failDelivery(task: DeliveryTask, reason: string): Promise<void>;
};

// `expiredLeaseCount` counts a delivery's leases that expired since its last attempt: each time, its worker died or was
// cut off from PostgreSQL. After this many, the delivery is isolated: a worker attempts one isolated delivery at a
// time. Attempts of deliveries that are not isolated run at the same time.
const isolateAfterExpiredLeases = 2;
// After this many, a delivery fails.
const maxExpiredLeases = 4;
// Postponed isolated deliveries become due this far apart.
const isolatedIntervalMs = 50;

/**
 * Isolates deliveries whose leases keep expiring, as they do when an attempt crashes its worker, and finally fails
 * them. While this worker attempts one isolated delivery, it releases the others that it leases, so a further crash
 * does not count as theirs.
 */
export function createDeliveryIsolation(deps: DeliveryIsolationDeps): AttemptExecutor {
  let isAttemptingIsolated = false;
  let nextIsolatedAtMonotonicMs = 0;
  let postponing: Promise<unknown> = Promise.resolve();

  const postpone = async (task: DeliveryTask): Promise<LeaseResult> => {
    const now = performance.now();
    nextIsolatedAtMonotonicMs = Math.max(nextIsolatedAtMonotonicMs, now) + isolatedIntervalMs;
    const waitMs = nextIsolatedAtMonotonicMs - now;
    const release = deps.releaseLease(task, waitMs);
    postponing = Promise.allSettled([postponing, release]);
    await release;
    return { type: 'dueIn', waitMs };
  };
  const attemptIsolated: AttemptExecutor = async (task, times) => {
    isAttemptingIsolated = true;
    try {
      // This attempt may crash the worker at once, so the other isolated deliveries of the same claim are released
      // first.
      await setImmediate();
      await postponing;
      return await deps.attempt(task, times);
    } finally {
      isAttemptingIsolated = false;
    }
  };
  return async (task, times) => {
    if (task.expiredLeaseCount < isolateAfterExpiredLeases) return deps.attempt(task, times);
    if (task.expiredLeaseCount >= maxExpiredLeases) return failCrashed(deps, task);
    return isAttemptingIsolated ? postpone(task) : attemptIsolated(task, times);
  };
}

async function failCrashed({ log, failDelivery }: DeliveryIsolationDeps, task: DeliveryTask): Promise<LeaseResult> {
  const reason = `its lease expired ${task.expiredLeaseCount} times: workers crashed or were cut off from PostgreSQL`;
  log.error('delivery.failed_after_crashes', { delivery_id: task.id, reason });
  await failDelivery(task, reason);
  return { type: 'done' };
}
