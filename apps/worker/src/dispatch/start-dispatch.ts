import {
  batchSize,
  type Database,
  failLeased,
  type LeaseRequest,
  renewLeases,
  type RetryWhileUnavailable,
  type Waker,
} from '@ringback/database';
import { channels } from '@ringback/callbacks';
import { type Logger, readVersion, type Tracer } from '@ringback/runtime';
import { attemptWithPermit, type AttemptDeps } from '../attempt/attempt.js';
import { createDeliveryStore } from '../attempt/delivery-store.js';
import { createPayloads } from '../attempt/payloads.js';
import { createUnreadableSecretCheck } from '../attempt/unreadable-secrets.js';
import { traceAttempt } from '../attempt/trace-attempt.js';
import type { WorkerConfig } from '../config.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Sender } from '../send/send.js';
import { createDispatcher } from './dispatcher.js';
import { createLeasedDeliveries, type LeasedDeliveries } from './leased-deliveries.js';
import { createRetryThrottle, type RetryThrottle } from './retry-throttle.js';
import { createConcurrencyLimiter } from './concurrency-limiter.js';

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

/** Runs the deliveries that this worker leases: claimed from the database, or stored by itself. */
export type Dispatch = {
  leased: LeasedDeliveries;
  throttle: RetryThrottle;
  /** Says which deliveries the next statement that stores events may lease. */
  createLeaseRequest(): LeaseRequest;
  /** Starts no more calls: neither claims nor grants permits. Resolves when the current claim has ended. */
  stop(): Promise<void>;
  /** Resolves when every lease has ended. */
  drained(): Promise<void>;
};

// A lease lasts for the callback timeout and 7 s: 5 s to wait for a permit (2 s unless overloaded), and 2 s to load the
// delivery and record the attempt.
const permitWaitMs = 5_000;
const loadAndRecordMs = 2_000;

/** Starts to claim and attempt due deliveries in the channels of the worker's roles. */
export function startDispatch(config: WorkerConfig, deps: DispatchDeps): Dispatch {
  const { db, log, waker } = deps;
  const channelsOfRoles = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
  const attemptDeps = createAttemptDeps(config, deps);
  const leaseMs = config.timeoutMs + permitWaitMs + loadAndRecordMs;
  const throttle = createRetryThrottle();
  const leased = createLeasedDeliveries({
    log,
    leaseMs,
    reservedMs: config.timeoutMs + loadAndRecordMs,
    // Deliveries beyond `concurrency` wait for permits.
    maxLeased: config.concurrency * 2,
    attempt: (task, times) => attemptWithPermit(attemptDeps, task, times),
    renew: (tasks) => renewLeases(db, tasks, { leaseMs }),
    release: attemptDeps.store.release,
    fail: (task, reason) => failLeased(db, task, reason),
    onEnd: (task, result) => dispatcher.handleLeaseEnd(task, result),
  });
  const dispatcher = createDispatcher({
    db,
    log,
    waker,
    limiter: attemptDeps.limiter,
    throttle,
    channels: channelsOfRoles,
    leased,
  });
  // Bounds what one statement leases for one account, so that a flood leaves capacity for the next one. Earlier leases do
  // not count. Matters only if 1.5 × `concurrency` exceeds `batchSize`.
  const maxLeasedPerAccount = Math.max(batchSize, config.concurrency);
  return {
    leased,
    throttle,
    createLeaseRequest: () => ({
      channels: channelsOfRoles,
      leaseMs: leased.leaseMs,
      maxLeased: leased.capacity('stored'),
      maxLeasedPerAccount,
      excludedWebhookIds: attemptDeps.limiter.listBlockedWebhooks(),
    }),
    stop() {
      attemptDeps.limiter.close();
      leased.close();
      return dispatcher.close();
    },
    drained: leased.drained,
  };
}

function createAttemptDeps(config: WorkerConfig, deps: DispatchDeps): AttemptDeps {
  const { metrics, traces, sender, log } = deps;
  const store = createDeliveryStore({ ...deps, pausing: config.pausing });
  return {
    store,
    limiter: createConcurrencyLimiter({ concurrency: config.concurrency }),
    payloads: createPayloads(store.loadPayload),
    hasUnreadableSecret: createUnreadableSecretCheck(log),
    send: metrics.countInFlight(sender.send),
    onAttempt(attempt) {
      metrics.observeAttempt(attempt);
      if (traces) traceAttempt(traces, attempt);
    },
    log,
    retries: config.retries,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
}
