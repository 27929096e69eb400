import { type Logger, readVersion, type Tracer } from '@ringback/process';
import type { WorkerConfig } from '../config.js';
import type { ConcurrencyLimiter } from '../limiter/concurrency-limiter.js';
import type { WorkerMetrics } from '../metrics.js';
import type { Sender } from '../send/send.js';
import { type AttemptDeps, attemptDelivery, type AttemptExecutor } from './attempt.js';
import type { DeliveryStore } from './delivery-store.js';
import { createPayloadLoader } from './payload-loader.js';
import { traceAttempt } from './trace-attempt.js';
import { createUnreadableSecretCheck } from './unreadable-secrets.js';

type AttemptExecutorDeps = {
  store: DeliveryStore;
  limiter: ConcurrencyLimiter;
  sender: Sender;
  log: Logger;
  metrics: WorkerMetrics;
  /** Undefined when tracing is off. */
  tracer: Tracer | undefined;
};

/** Creates the function that attempts a leased delivery, with metrics and traces of each attempt. */
export function createAttemptExecutor(config: WorkerConfig, deps: AttemptExecutorDeps): AttemptExecutor {
  const { store, limiter, sender, log, metrics, tracer } = deps;
  const attemptDeps: AttemptDeps = {
    store,
    limiter,
    payloadLoader: createPayloadLoader(store.loadPayload),
    hasUnreadableSecret: createUnreadableSecretCheck(log),
    send: metrics.countInFlight(sender.send),
    onAttempt(attempt) {
      metrics.observeAttempt(attempt);
      if (tracer) traceAttempt(tracer, attempt);
    },
    log,
    retries: config.retries,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
  return (task, times) => attemptDelivery(attemptDeps, task, times);
}
