import { batchSize, type Database, endDelivery, type LeaseRequest, renewLeases, type Waker } from '@ringback/database';
import { channels } from '@ringback/callbacks';
import { type Logger, readVersion, type Tracer } from '@ringback/runtime';
import { attemptLeased, type AttemptDeps } from '../attempt/attempt.js';
import { createLedger } from '../attempt/ledger.js';
import { openPayloads } from '../attempt/payloads.js';
import { openSealedCheck } from '../attempt/sealed.js';
import { traceAttempt } from '../attempt/trace-attempt.js';
import type { WorkerConfig } from '../config.js';
import type { Persist } from '../jobs/patience.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Sender } from '../send/send.js';
import { createDispatcher } from './dispatcher.js';
import { createLeasedDeliveries, type LeasedDeliveries } from './leased-deliveries.js';
import { createRetryThrottle, type RetryThrottle } from './retry-throttle.js';
import { createWebhookLimiter } from './webhook-limiter.js';

export type DispatchParts = {
  db: Database;
  sender: Sender;
  log: Logger;
  metrics: WorkerMetrics;
  /** Absent when traces are off. */
  traces: Tracer | undefined;
  persist: Persist;
  waker: Waker;
};

/** What a worker delivers: claimed from the ledger, or leased with the events that it takes in. */
export type Dispatch = {
  leased: LeasedDeliveries;
  throttle: RetryThrottle;
  /** What to lease with events that are taken in now. */
  leaseRequest(): LeaseRequest;
  /** Stops claiming, and resolves when every lease has ended. */
  close(): Promise<void>;
};

// Waiting for a permit, loading and recording, on top of the call; and of that, loading and recording.
const leaseBeyondMs = 7_000;
const recordMs = 2_000;

/** Starts to claim and to deliver what is due in the channels of the worker's roles. */
export function startDispatch(config: WorkerConfig, parts: DispatchParts): Dispatch {
  const { db, log, waker } = parts;
  const own = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
  const deps = attemptDeps(config, parts);
  const throttle = createRetryThrottle();
  const leased = createLeasedDeliveries({
    log,
    leaseMs: config.timeoutMs + leaseBeyondMs,
    callMs: config.timeoutMs + recordMs,
    // Those over what may be called at once wait for their permits.
    maxLeased: config.concurrency * 2,
    attempt: (task, times) => attemptLeased(deps, task, times),
    renew: (tasks) => renewLeases(db, tasks, { leaseMs: config.timeoutMs + leaseBeyondMs }),
    release: deps.ledger.release,
    giveUp: (id, reason) => endDelivery(db, id, 'failed', reason),
    onEnd: (task, result) => dispatcher.noteEnd(task, result),
  });
  const dispatcher = createDispatcher({ db, log, waker, limiter: deps.limiter, throttle, channels: own, leased });
  // An account leases no more than leaves others their share if all of its receivers hang.
  const maxOfAccount = Math.max(batchSize, config.concurrency);
  return {
    leased,
    throttle,
    leaseRequest: () => ({
      channels: own,
      leaseMs: leased.leaseMs,
      maxLeased: leased.room('stored'),
      maxOfAccount,
      saturated: deps.limiter.saturated(),
    }),
    async close() {
      await dispatcher.close();
      deps.limiter.close();
      await leased.ended();
    },
  };
}

function attemptDeps(config: WorkerConfig, parts: DispatchParts): AttemptDeps {
  const { metrics, traces, sender, log } = parts;
  const ledger = createLedger({ ...parts, pausing: config.pausing });
  return {
    ledger,
    limiter: createWebhookLimiter({ calls: config.concurrency }),
    payloads: openPayloads(ledger.loadPayload),
    isSealed: openSealedCheck(log),
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
