import type { DeliveryTask } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';

export type LeaseRenewerDeps = {
  log: Pick<Logger, 'error'>;
  leaseMs: number;
  /** Extends the leases that have not ended. */
  renew(tasks: DeliveryTask[]): Promise<void>;
};

/** Extends each lease when a third of it has passed, until it is removed. */
export type LeaseRenewer = {
  /**
   * Adds a lease that was requested at `requestedAtMonotonicMs`, so it started no earlier. It replaces an earlier lease of the
   * same delivery.
   */
  add(task: DeliveryTask, requestedAtMonotonicMs: number): void;
  remove(deliveryId: string): void;
  stop(): void;
};

export function createLeaseRenewer({ log, leaseMs, renew }: LeaseRenewerDeps): LeaseRenewer {
  const leases = new Map<string, { task: DeliveryTask; renewAt: number }>();
  let timer: NodeJS.Timeout | undefined;

  const renewDue = async () => {
    const now = performance.now();
    const due = [...leases.values()].filter(({ renewAt }) => renewAt <= now);
    if (due.length === 0) return;
    for (const lease of due) lease.renewAt = now + leaseMs / 3;
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
      leases.set(task.id, { task, renewAt: requestedAtMonotonicMs + leaseMs / 3 });
      timer ??= setInterval(tick, leaseMs / 6);
    },
    remove: (deliveryId) => void leases.delete(deliveryId),
    stop,
  };
}
