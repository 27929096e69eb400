import { setMaxListeners } from 'node:events';
import { createRetryWhileUnavailable, requireWritable, type RetryWhileUnavailable } from '@ringback/ledger';
import { createHealthServer } from '@ringback/process/metrics';
import {
  type Consumer,
  eventQueues,
  FairOrder,
  type FairOrderLimits,
  isEventQueue,
  type JobHandler,
  type QueueName,
  startConsumer,
  testCallQueue,
  verificationQueue,
} from '@ringback/queue';
import { listen, type Logger, type Role, unencryptedSecretsWarning, withTimeout } from '@ringback/process';
import { createAttemptExecutor } from './attempt/attempt-executor.js';
import { createDeliveryStore } from './attempt/delivery-store.js';
import type { WorkerConfig } from './config.js';
import { openConnections, type ProcessHooks } from './connections.js';
import { type DeliveryProcessor, startDeliveryProcessor } from './dispatch/delivery-processor.js';
import { createIngestHandler } from './ingest/ingest-handler.js';
import { type QueueWatch, watchQueues } from './jobs/queue-watch.js';
import { createConcurrencyLimiter } from './limiter/concurrency-limiter.js';
import { createMaintenanceServices } from './maintenance/create-maintenance-services.js';
import { startMaintenanceServices } from './maintenance/maintenance-service.js';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.js';
import { type ShutdownBudgets, shutdownBudgets } from './shutdown-budgets.js';
import { createTestCallHandler } from './test-calls/test-call-handler.js';
import { createVerificationHandler } from './verification/verification-handler.js';

// Work that does not end in time is left running; it ends with the process.
const abandon = () => undefined;

/** A queue, the role whose workers consume it, and the handler of its jobs. */
type ConsumedQueue = { role: Role; queue: QueueName; handler: JobHandler };

// Maximum running jobs per queue. Most of them only wait: for a statement of PostgreSQL, or for a receiver's response.
const jobConcurrency = 128;

// In PostgreSQL, BullMQ reads each job with a statement of its own.
const fairOrderLimits = {
  redis: { maxSeen: 4_000, maxRead: 4_000 },
  postgres: { maxSeen: 1_000, maxRead: 100 },
} satisfies Record<string, FairOrderLimits>;

/**
 * Starts the parts that the configured roles need. They are stopped in reverse order: the worker starts no more
 * attempts and jobs, waits for the running ones within `shutdownBudgets`, then closes its connections. Throws what
 * `openConnections` throws, and when the health port cannot be opened.
 */
export async function startWorker(config: WorkerConfig, hooks: ProcessHooks): Promise<void> {
  const { log, onStop, fail } = hooks;
  const connections = await openConnections(config, hooks);
  const { db, queues, engine } = connections;
  const stopping = new AbortController();
  // Each operation that waits while PostgreSQL is unavailable adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const retryWhileUnavailable = createRetryWhileUnavailable({ stopping: stopping.signal, log, program: 'worker' });
  const metrics = createWorkerMetrics({ db, queues });
  const deps = { ...connections, log, metrics, retryWhileUnavailable };
  const budgets = shutdownBudgets(config);

  if (config.roles.has('maintain')) {
    const services = createMaintenanceServices(config, deps);
    const maintenance = startMaintenanceServices(services, { log, stopping: stopping.signal });
    onStop('maintenance', () => withTimeout(budgets.maintenanceMs, maintenance.stop(), abandon));
  }
  const processor = createAndStartDeliveryProcessor(config, deps);
  const consumed = listConsumedQueues(config, deps, processor);
  const consumers = consumed.map(({ queue, handler }) =>
    startConsumer(deps, queue, { concurrency: jobConcurrency, handler }),
  );
  onStop('work', () => {
    stopping.abort();
    const stopped = processor.stop({ ingestEnd: closeConsumers(consumers, budgets) });
    return withTimeout(budgets.workMs, stopped, abandon);
  });
  const watch = watchQueues({ queues, consumers, log, fail });
  const orders = consumers
    .filter(({ queue }) => isEventQueue(queue))
    .map((consumer) => {
      const queue = queues.open(consumer.queue as QueueName);
      return new FairOrder({ queue, consumer, log, limits: fairOrderLimits[engine.kind] });
    });
  // The clean-up does not wait for running checks, which end with the connections.
  onStop('checks of the queues', () => void [watch, ...orders].forEach((task) => void task.stop()));
  if (config.healthPort > 0) {
    const health = await startHealthServer(config, deps, watch);
    onStop('health', () => health.close());
  }
  if (config.secretKeys.length === 0) log.warn('secrets.unencrypted', { hint: unencryptedSecretsWarning });
  log.info('worker.started', { roles: [...config.roles], engine: engine.kind, concurrency: config.concurrency });
}

type Connections = Awaited<ReturnType<typeof openConnections>>;
type Deps = Connections & { log: Logger; metrics: WorkerMetrics; retryWhileUnavailable: RetryWhileUnavailable };

/** Creates the limiter, the store and the attempt function, and starts to claim and attempt deliveries. */
function createAndStartDeliveryProcessor(config: WorkerConfig, deps: Deps): DeliveryProcessor {
  const limiter = createConcurrencyLimiter({ concurrency: config.concurrency });
  const store = createDeliveryStore({ ...deps, autoPauseRules: config.autoPauseRules });
  const attempt = createAttemptExecutor(config, { ...deps, limiter, store });
  return startDeliveryProcessor(config, { ...deps, limiter, attempt, releaseLease: store.release });
}

/** The queues of the worker's roles, each with its handler. */
function listConsumedQueues(config: WorkerConfig, deps: Deps, processor: DeliveryProcessor): ConsumedQueue[] {
  const ingest = createIngestHandler({ ...deps, processor });
  const all: ConsumedQueue[] = [
    { role: 'ingest-sms', queue: eventQueues.sms, handler: ingest },
    { role: 'ingest-rcs', queue: eventQueues.rcs, handler: ingest },
    { role: 'verify', queue: verificationQueue, handler: createVerificationHandler(config, deps) },
    { role: 'verify', queue: testCallQueue, handler: createTestCallHandler(config, deps) },
  ];
  return all.filter(({ role }) => config.roles.has(role));
}

async function startHealthServer(
  { healthHost: host, healthPort: port }: WorkerConfig,
  { db, queues, metrics }: Deps,
  watch: QueueWatch,
) {
  const check = () => Promise.all([requireWritable(db), queues.check()]);
  const server = createHealthServer({ check, notReadyReason: watch.reason, readMetrics: metrics.read });
  await listen(server, { host, port });
  return server;
}

/**
 * Closes consumers. Those that are not closed within their budget are closed by force, because BullMQ's own close waits
 * for ever while the queue engine is unavailable.
 */
async function closeConsumers(consumers: Consumer[], { consumersMs, forcedCloseMs }: ShutdownBudgets): Promise<void> {
  await withTimeout(consumersMs, Promise.all(consumers.map((consumer) => consumer.close())), abandon);
  await withTimeout(forcedCloseMs, Promise.all(consumers.map((consumer) => consumer.close(true))), abandon);
}
