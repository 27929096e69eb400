import type { DeliveryTask } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';

export type LeaseRenewerDeps = {
  log: Pick<Logger, 'error'>;
  leaseMs: number;
  /** Extends these leases in the database, except those that have ended. */
  renew(tasks: DeliveryTask[]): Promise<void>;
};

/** Extends each lease when between a third and a half of its duration has passed, until the lease is removed. */
export type LeaseRenewer = {
  /**
   * Adds a lease that was requested at `requestedAtMonotonicMs`, so it started no earlier. Replaces an earlier lease of
   * the same delivery.
   */
  add(task: DeliveryTask, requestedAtMonotonicMs: number): void;
  remove(deliveryId: string): void;
  stop(): void;
};

export function createLeaseRenewer({ log, leaseMs, renew }: LeaseRenewerDeps): LeaseRenewer {
  const leases = new Map<string, { task: DeliveryTask; renewAtMonotonicMs: number }>();
  let timer: NodeJS.Timeout | undefined;

  const renewDue = async () => {
    const now = performance.now();
    const due = [...leases.values()].filter(({ renewAtMonotonicMs }) => renewAtMonotonicMs <= now);
    if (due.length === 0) return;
    for (const lease of due) lease.renewAtMonotonicMs = now + leaseMs / 3;
    await renew(due.map(({ task }) => task));
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = () => {
    renewDue().catch((error: unknown) => log.error('lease.not_renewed', errorFields(error)));
    if (leases.size === 0) stop();
  };
  return {
    add(task, requestedAtMonotonicMs) {
      leases.set(task.id, { task, renewAtMonotonicMs: requestedAtMonotonicMs + leaseMs / 3 });
      timer ??= setInterval(tick, leaseMs / 6);
    },
    remove: (deliveryId) => void leases.delete(deliveryId),
    stop,
  };
}
