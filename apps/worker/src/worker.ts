import { setMaxListeners } from 'node:events';
import { channels } from '@ringback/rules';
import {
  announcePaces,
  createRetryWhileUnavailable,
  requireWritable,
  type RetryWhileUnavailable,
  SecretDecrypter,
} from '@ringback/ledger';
import { listen, type Logger, type Role, unencryptedSecretsWarning, withTimeout } from '@ringback/process';
import { createHealthServer } from '@ringback/process/metrics';
import {
  Consumer,
  eventQueues,
  FairOrder,
  type FairOrderLimits,
  isEventQueue,
  type JobHandler,
  type QueueName,
  testCallQueue,
  verificationQueue,
} from '@ringback/queue';
import { Attempter } from './attempt.js';
import type { WorkerConfig } from './config.js';
import { Dispatcher } from './dispatcher.js';
import { DueFinder } from './due-finder.js';
import { IngestHandler } from './ingest.js';
import { LeaseHolder } from './leases.js';
import { ConcurrencyLimiter } from './limits/limiter.js';
import { createMaintenanceServices, startMaintenanceServices } from './maintenance/maintenance.js';
import { WorkerMetrics } from './metrics.js';
import { QueueWatch } from './queue-watch.js';
import { Recorder } from './recorder.js';
import { openResources, type ProcessHooks, type Resources } from './resources.js';
import { createTestCallHandler } from './test-call.js';
import { VerificationHandler } from './verification.js';
import { WebhookRotation } from './webhook-rotation.js';

/** A queue, the role whose workers consume it, and the handler of its jobs. */
type ConsumedQueue = { role: Role; queue: QueueName; handler: JobHandler };

type Deps = Resources & {
  log: Logger;
  metrics: WorkerMetrics;
  secrets: SecretDecrypter;
  retryWhileUnavailable: RetryWhileUnavailable;
};

// Maximum running jobs per queue. Most of them only wait: for a statement of PostgreSQL, or for a receiver's response.
const jobConcurrency = 128;

// In PostgreSQL, BullMQ reads each job with a statement of its own.
const fairOrderLimits = {
  redis: { maxSeen: 4_000, maxRead: 4_000 },
  postgres: { maxSeen: 1_000, maxRead: 100 },
} satisfies Record<string, FairOrderLimits>;

// Work that does not end in time is left running; it ends with the process.
const abandon = () => undefined;

/**
 * How long the parts of a worker may take to stop. T is the callback timeout.
 *
 *   total           T + 8 s   then the process ends
 *     work          T + 4 s   running jobs and attempts
 *       consumers   T + 2 s   BullMQ's workers; then 1 s more to close them by force
 *     maintenance       2 s   the running maintenance services; other workers repeat unfinished work
 *
 * The work stops before maintenance, and connections close last. The consumers are part of the work.
 */
export const shutdownBudgets = ({ callbackTimeoutMs }: Pick<WorkerConfig, 'callbackTimeoutMs'>) => ({
  totalMs: callbackTimeoutMs + 8_000,
  workMs: callbackTimeoutMs + 4_000,
  consumersMs: callbackTimeoutMs + 2_000,
  forcedCloseMs: 1_000,
  maintenanceMs: 2_000,
});

type ShutdownBudgets = ReturnType<typeof shutdownBudgets>;

/**
 * Starts the parts that the configured roles need. They are stopped in reverse order: the worker starts no more
 * attempts and jobs, waits for the running ones within `shutdownBudgets`, then closes its connections. Throws what
 * `openResources` throws, and when the health port cannot be opened.
 */
export async function startWorker(config: WorkerConfig, hooks: ProcessHooks): Promise<void> {
  const { log, onStop, fail } = hooks;
  const resources = await openResources(config, hooks);
  const { db, queues, engine } = resources;
  const stopping = new AbortController();
  // Each operation that waits while PostgreSQL is unavailable adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const retryWhileUnavailable = createRetryWhileUnavailable({
    stopping: stopping.signal,
    log,
    logEvent: 'worker.waiting',
  });
  const metrics = new WorkerMetrics({ db, queues });
  const secrets = new SecretDecrypter(db, log);
  const deps: Deps = { ...resources, log, metrics, secrets, retryWhileUnavailable };
  const budgets = shutdownBudgets(config);

  if (config.roles.has('maintain')) {
    const services = createMaintenanceServices(config, deps);
    const maintenance = startMaintenanceServices(services, { log, stopping: stopping.signal });
    onStop('maintenance', () => withTimeout(budgets.maintenanceMs, maintenance.stop(), abandon));
  }
  const deliveries = startDeliveries(config, deps);
  const consumers = listConsumedQueues(config, deps, deliveries.leases).map(
    ({ queue, handler }) => new Consumer(deps, queue, { concurrency: jobConcurrency, handler }),
  );
  onStop('work', () => {
    stopping.abort();
    const stopped = deliveries.stop({ ingestEnd: closeConsumers(consumers, budgets) });
    return withTimeout(budgets.workMs, stopped, abandon);
  });
  const watch = new QueueWatch({ queues, consumers, log, fail });
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
  if (config.isDeliveryOff)
    log.warn('worker.delivery_off', { hint: 'DELIVERY=off: events are stored, and their deliveries skipped' });
  log.info('worker.started', { roles: [...config.roles], engine: engine.kind, concurrency: config.concurrency });
}

/**
 * Starts what delivers. Deliveries are leased when their events are stored, or by the dispatcher, which claims due
 * ones; then each is attempted with a permit of the limiter, and recorded. What is left to do after a lease goes back
 * to the finder.
 */
function startDeliveries(config: WorkerConfig, deps: Deps) {
  const { concurrency, callbackTimeoutMs, retries, requireVerification, isDeliveryOff, autoPauseRules, naming } =
    config;
  const deliveredChannels = channels.filter((channel) => config.roles.has(`deliver-${channel}`));
  const rotation = new WebhookRotation({ channels: deliveredChannels });
  const limiter = new ConcurrencyLimiter({
    concurrency,
    channels: deliveredChannels,
    // A lost announcement is made up for by the next one, a second later.
    announce: (announcement) => void announcePaces(deps.db, announcement).catch(() => undefined),
    onLeasable: () => rotation.change(),
  });
  deps.metrics.watchOverloaded(() => limiter.overloadedCount);
  const recorder = new Recorder({ ...deps, autoPauseRules });
  const attempter = new Attempter(
    { ...deps, limiter, recorder },
    { retries, requireVerification, isDeliveryOff, naming },
  );
  const finder = new DueFinder({ ...deps, rotation, limiter });
  const leases = new LeaseHolder(
    { ...deps, attempter, recorder, limiter, finder },
    { channels: deliveredChannels, callbackTimeoutMs, concurrency },
  );
  let dispatcher: Dispatcher | undefined;
  if (deliveredChannels.length > 0) {
    finder.start();
    dispatcher = new Dispatcher({ ...deps, limiter, rotation, finder, leases });
  }
  return {
    leases,
    /**
     * Stops claiming and granting permits, so no attempt starts any more. Resolves when every lease has ended. Until
     * `ingestEnd` resolves, deliveries of events that are being stored may still be leased.
     */
    async stop({ ingestEnd }: { ingestEnd: Promise<unknown> }): Promise<void> {
      limiter.close();
      leases.close();
      await Promise.all([finder.close(), dispatcher?.stop(), ingestEnd]);
      await leases.waitUntilDrained();
    },
  };
}

/** The queues of the worker's roles, each with its handler. */
function listConsumedQueues(config: WorkerConfig, deps: Deps, leases: LeaseHolder): ConsumedQueue[] {
  const ingest = new IngestHandler({ ...deps, leases });
  const all: ConsumedQueue[] = [
    { role: 'ingest-sms', queue: eventQueues.sms, handler: ingest },
    { role: 'ingest-rcs', queue: eventQueues.rcs, handler: ingest },
    { role: 'verify', queue: verificationQueue, handler: new VerificationHandler(config, deps) },
    { role: 'verify', queue: testCallQueue, handler: createTestCallHandler(config, deps) },
  ];
  return all.filter(({ role }) => config.roles.has(role));
}

async function startHealthServer(
  { healthHost: host, healthPort: port }: WorkerConfig,
  { db, queues, metrics, egressProxy }: Deps,
  watch: QueueWatch,
) {
  const check = () => Promise.all([requireWritable(db), queues.check()]);
  const server = createHealthServer({
    check,
    notReadyReason: () => watch.reason() ?? egressProxy?.reason() ?? null,
    readMetrics: () => metrics.read(),
  });
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
