import { channels } from '@ringback/callbacks';
import {
  defaultBatchSize,
  type Database,
  failLeased,
  type LeaseRequest,
  renewLeases,
  type Waker,
} from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { AttemptDelivery } from '../attempt/attempt.js';
import type { WorkerConfig } from '../config.js';
import type { ConcurrencyLimiter } from '../limiter/concurrency-limiter.js';
import { createDispatcher } from './dispatcher.js';
import { createLeasedDeliveries, type LeasedDeliveries, type LeasedDeliveriesDeps } from './leased-deliveries.js';
import { createRetryThrottle, type RetryThrottle } from './retry-throttle.js';

export type DeliveryRunnerDeps = {
  db: Database;
  log: Logger;
  waker: Waker;
  limiter: ConcurrencyLimiter;
  attempt: AttemptDelivery;
  releaseLease: LeasedDeliveriesDeps['releaseLease'];
};

/** Runs the deliveries that this worker leases: claimed from the database, or stored by itself. */
export type DeliveryRunner = {
  leasedDeliveries: LeasedDeliveries;
  throttle: RetryThrottle;
  /** Says which deliveries the next statement that stores events may lease. */
  createLeaseRequest(): LeaseRequest;
  /** Starts no more attempts: neither claims nor grants permits. Resolves when the current claim has ended. */
  stop(): Promise<void>;
  /** Resolves when every lease has ended. */
  waitUntilDrained(): Promise<void>;
};

// A lease lasts for the callback timeout and 7 s: 5 s until the request is sent, and 2 s to record the attempt. Unless the
// worker is overloaded, the wait for a permit takes at most 2 s of the 5 s.
const prepareMs = 5_000;
const recordMs = 2_000;

/** Starts to claim and attempt due deliveries in the channels of the worker's roles. */
export function startDeliveryRunner(config: WorkerConfig, deps: DeliveryRunnerDeps): DeliveryRunner {
  const { db, log, limiter, attempt, releaseLease } = deps;
  const channelsOfRoles = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
  const leaseMs = config.callbackTimeoutMs + prepareMs + recordMs;
  const throttle = createRetryThrottle();
  const leasedDeliveries = createLeasedDeliveries({
    log,
    leaseMs,
    reservedMs: config.callbackTimeoutMs + recordMs,
    // Deliveries beyond `concurrency` wait for permits.
    maxLeased: config.concurrency * 2,
    attempt,
    renew: (tasks) => renewLeases(db, tasks, { leaseMs }),
    releaseLease: releaseLease,
    failDelivery: (task, reason) => failLeased(db, task, reason),
    onEnd: (task, result) => dispatcher.reportLeaseEnd(task, result),
  });
  const dispatcher = createDispatcher({ ...deps, throttle, channels: channelsOfRoles, leasedDeliveries });
  // Bounds what one statement leases for one account, so that a flood leaves capacity for the next account. Earlier leases
  // do not count. This matters only if 1.5 × `concurrency` exceeds `batchSize`.
  const maxLeasedPerAccount = Math.max(defaultBatchSize, config.concurrency);
  return {
    leasedDeliveries,
    throttle,
    createLeaseRequest: () => ({
      channels: channelsOfRoles,
      leaseMs: leasedDeliveries.leaseMs,
      maxLeased: leasedDeliveries.capacity('stored'),
      maxLeasedPerAccount,
      excludedWebhookIds: limiter.listBlockedWebhooks(),
    }),
    stop() {
      limiter.close();
      leasedDeliveries.close();
      return dispatcher.close();
    },
    waitUntilDrained: leasedDeliveries.waitUntilDrained,
  };
}
