import { batchSize, type Database, endDelivery, type LeaseRequest, renewLeases, type Waker } from '@ringback/database';
import { channels } from '@ringback/callbacks';
import { type Logger, readVersion, type Tracer } from '@ringback/runtime';
import { attemptLeased, type AttemptDeps } from '../attempt/attempt.js';
import { createDeliveryStore } from '../attempt/delivery-store.js';
import { createPayloads } from '../attempt/payloads.js';
import { createSealedCheck } from '../attempt/sealed-check.js';
import { traceAttempt } from '../attempt/trace-attempt.js';
import type { WorkerConfig } from '../config.js';
import type { RetryWhileUnavailable } from '../jobs/retry-while-unavailable.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Sender } from '../send/send.js';
import { createDispatcher } from './dispatcher.js';
import { createLeasedDeliveries, type LeasedDeliveries } from './leased-deliveries.js';
import { createRetryThrottle, type RetryThrottle } from './retry-throttle.js';
import { createWebhookLimiter } from './webhook-limiter.js';

export type DispatchDeps = {
  db: Database;
  sender: Sender;
  log: Logger;
  metrics: WorkerMetrics;
  /** Absent when traces are off. */
  traces: Tracer | undefined;
  retryWhileUnavailable: RetryWhileUnavailable;
  waker: Waker;
};

/** The deliveries of a worker: claimed from the database, or leased with the events that it stores. */
export type Dispatch = {
  leased: LeasedDeliveries;
  throttle: RetryThrottle;
  /** What to lease with events that are stored now. */
  leaseRequest(): LeaseRequest;
  /** Stops claiming; resolves when every lease has ended. */
  close(): Promise<void>;
};

// A lease covers the call and this time, for the wait for a permit, loading and recording. Of it, loading and recording get
// `recordMs`.
const leaseOverheadMs = 7_000;
const recordMs = 2_000;

/** Starts to claim and attempt due deliveries in the channels of the worker's roles. */
export function startDispatch(config: WorkerConfig, deps: DispatchDeps): Dispatch {
  const { db, log, waker } = deps;
  const channelsOfRoles = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
  const attempts = attemptDeps(config, deps);
  const throttle = createRetryThrottle();
  const leased = createLeasedDeliveries({
    log,
    leaseMs: config.timeoutMs + leaseOverheadMs,
    callMs: config.timeoutMs + recordMs,
    // Deliveries beyond `concurrency` wait for permits.
    maxLeased: config.concurrency * 2,
    attempt: (task, times) => attemptLeased(attempts, task, times),
    renew: (tasks) => renewLeases(db, tasks, { leaseMs: config.timeoutMs + leaseOverheadMs }),
    release: attempts.store.release,
    fail: (id, reason) => endDelivery(db, id, 'failed', reason),
    onEnd: (task, result) => dispatcher.handleEnd(task, result),
  });
  const dispatcher = createDispatcher({
    db,
    log,
    waker,
    limiter: attempts.limiter,
    throttle,
    channels: channelsOfRoles,
    leased,
  });
  // Leaves half of the leases to other accounts when all receivers of one are unresponsive.
  const maxPerAccount = Math.max(batchSize, config.concurrency);
  return {
    leased,
    throttle,
    leaseRequest: () => ({
      channels: channelsOfRoles,
      leaseMs: leased.leaseMs,
      maxLeased: leased.capacity('stored'),
      maxOfAccount: maxPerAccount,
      saturated: attempts.limiter.saturated(),
    }),
    async close() {
      await dispatcher.close();
      attempts.limiter.close();
      await leased.drained();
    },
  };
}

function attemptDeps(config: WorkerConfig, deps: DispatchDeps): AttemptDeps {
  const { metrics, traces, sender, log } = deps;
  const store = createDeliveryStore({ ...deps, pausing: config.pausing });
  return {
    store,
    limiter: createWebhookLimiter({ calls: config.concurrency }),
    payloads: createPayloads(store.loadPayload),
    isSealed: createSealedCheck(log),
    send: metrics.inFlight(sender.send),
    onAttempt(attempt) {
      metrics.attempted(attempt);
      if (traces) traceAttempt(traces, attempt);
    },
    log,
    retries: config.retries,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
}
