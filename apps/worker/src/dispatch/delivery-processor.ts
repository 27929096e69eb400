import { channels } from '@ringback/rules';
import {
  defaultBatchSize,
  type Database,
  failLeasedDelivery,
  renewLeases,
  type Waker,
  type DirectLeasing,
} from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import type { AttemptExecutor } from '../attempt/attempt.js';
import type { WorkerConfig } from '../config.js';
import type { ConcurrencyLimiter } from '../limiter/concurrency-limiter.js';
import { startDispatcher } from './dispatcher.js';
import { createLeasedDeliveries, type LeasedDeliveriesDeps } from './leased-deliveries.js';
import { createRetryThrottle } from './retry-throttle.js';

export type DeliveryProcessorDeps = {
  db: Database;
  log: Logger;
  waker: Waker;
  limiter: ConcurrencyLimiter;
  attempt: AttemptExecutor;
  releaseLease: LeasedDeliveriesDeps['releaseLease'];
};

/** Runs the deliveries that this worker leases: by a claim, or when it stores their events. */
export type DeliveryProcessor = {
  /** Says which new deliveries are leased when this worker stores their events, and starts their first attempts. */
  directLeasing: DirectLeasing;
  /** Resolves when deliveries of new events may be leased, or when the worker stops. */
  waitForIngestCapacity(): Promise<void>;
  /** Reports to the retry throttle how long an event was in this process until it was stored. */
  reportIngestDelay(delayMs: number): void;
  /**
   * Stops claiming and granting permits, so no attempt starts any more. Resolves when every lease has ended. Until
   * `ingestEnd` resolves, deliveries of events that are being stored may still be leased.
   */
  stop(options: { ingestEnd: Promise<unknown> }): Promise<void>;
};

// A lease lasts for the callback timeout and 7 s: 5 s until the request is sent, and 2 s to record the attempt. Unless
// the worker is overloaded, the wait for a permit takes at most 2 s of the 5 s.
const prepareMs = 5_000;
const recordMs = 2_000;

/** Starts to claim and attempt due deliveries in the channels of the worker's roles. */
export function startDeliveryProcessor(config: WorkerConfig, deps: DeliveryProcessorDeps): DeliveryProcessor {
  const { db, log, limiter, attempt, releaseLease } = deps;
  const deliveryChannels = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
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
    releaseLease,
    failDelivery: (task, reason) => failLeasedDelivery(db, task, reason),
  });
  const dispatcher =
    deliveryChannels.length > 0
      ? startDispatcher({ ...deps, throttle, channels: deliveryChannels, leasedDeliveries })
      : undefined;
  // Limits what one statement leases for one account, so that a flood of the account's events leaves capacity for other
  // accounts. The account's earlier leases do not count. The limit has no effect up to a concurrency of 133: the ingest
  // share of `maxLeased` is then 200 or less.
  const maxLeasedPerAccount = Math.max(defaultBatchSize, config.concurrency);
  return {
    directLeasing: {
      createLeaseRequest: () => ({
        channels: deliveryChannels,
        leaseMs,
        maxLeased: leasedDeliveries.availableLeases('ingest'),
        maxLeasedPerAccount,
        excludedWebhookIds: limiter.listBlockedWebhooks(),
      }),
      start: (tasks, requestedAtMonotonicMs) => leasedDeliveries.start(tasks, requestedAtMonotonicMs, 'ingest'),
    },
    waitForIngestCapacity: leasedDeliveries.waitForIngestCapacity,
    reportIngestDelay: throttle.reportDelay,
    async stop({ ingestEnd }) {
      limiter.close();
      leasedDeliveries.close();
      await Promise.all([dispatcher?.stop(), ingestEnd]);
      await leasedDeliveries.waitUntilDrained();
    },
  };
}
