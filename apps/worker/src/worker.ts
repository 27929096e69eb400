import { setMaxListeners } from 'node:events';
import { createRetryWhileUnavailable, pingDatabase } from '@ringback/database';
import { createHealthServer } from '@ringback/metrics';
import { ingressQueues, isIngress, type QueueName, testCallQueue, verificationQueue } from '@ringback/queue';
import { listen, type Role, unencryptedSecretsWarning, withTimeout } from '@ringback/runtime';
import { createTestCallHandler } from './attempt/test-call-handler.js';
import { createVerificationHandler } from './attempt/verification-handler.js';
import type { WorkerConfig } from './config.js';
import { openConnections, type ProcessHooks } from './connections.js';
import { type Dispatch, type DispatchDeps, startDispatch } from './dispatch/start-dispatch.js';
import { createIngest, type IngestDeps } from './ingest/ingest.js';
import { startConsumer, type Consumer, type Handler } from './jobs/consumer.js';
import { createPoisonJobs } from './jobs/poison-jobs.js';
import { watchForStalls } from './jobs/ingress-stall.js';
import { startWatchdog } from './jobs/watchdog.js';
import { createMaintenanceJobs } from './maintenance/create-maintenance-jobs.js';
import { startMaintenanceJob } from './maintenance/maintenance-job.js';
import { createWorkerMetrics } from './metrics.js';

// Called when work does not end in time: it ends with the process.
const abandon = () => undefined;

/** A queue that workers with the role consume. */
type ConsumedQueue = { role: Role; queue: QueueName; handler: Handler };

// Maximum running jobs per queue. Most of them only wait: events for their statement, requests for their response.
const jobConcurrency = 64;
// Beyond the callback timeout, running jobs and calls have this long to end. It leaves time for what is closed after them,
// within the 8 s of `main.ts`.
const workCloseMs = 4_000;
// How long the end of the maintenance jobs may take. They repeat in other workers what they could not finish.
const maintenanceCloseMs = 2_000;

/**
 * Starts the parts that the configured roles need. They are stopped in reverse order: the worker starts no more calls and
 * jobs, finishes the running ones, then closes its connections. Throws an OperatorError that names the variable when the
 * database or the queue engine cannot be reached.
 */
export async function startWorker(config: WorkerConfig, hooks: ProcessHooks): Promise<void> {
  const { log, onStop, fail } = hooks;
  const connections = await openConnections(config, hooks);
  const { db, queues, backend } = connections;
  const stopping = new AbortController();
  // Each job that waits for PostgreSQL adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const retryWhileUnavailable = createRetryWhileUnavailable({ stopping: stopping.signal, log, program: 'worker' });
  const metrics = createWorkerMetrics({ db, queues });
  const poisonJobs = createPoisonJobs();
  const deps = { ...connections, log, metrics, retryWhileUnavailable, poisonJobs };

  if (config.roles.has('maintain')) {
    const jobs = createMaintenanceJobs(config, deps);
    const closers = jobs.map((job) => startMaintenanceJob(job, { log, stopping: stopping.signal }));
    const close = () => Promise.all(closers.map((closeJob) => closeJob()));
    onStop('maintenance', () => withTimeout(maintenanceCloseMs, close(), abandon));
  }
  const dispatch = startDispatch(config, deps);
  const consumed = createConsumedQueues(config, deps, dispatch);
  const ingress = consumed.map(({ queue }) => queue).filter(isIngress);
  const stalls = watchForStalls({ queues, names: ingress, log });
  onStop('ingress check', () => stalls.close());
  const consumers = consumed.map(({ queue, handler }) =>
    startConsumer(deps, queue, { concurrency: jobConcurrency, handler }),
  );
  onStop('work', () => {
    stopping.abort();
    return withTimeout(config.timeoutMs + workCloseMs, stopWork(dispatch, consumers, config), abandon);
  });
  onStop('watchdog', startWatchdog({ queues, consumers, log, fail }));
  if (config.healthPort > 0) {
    const check = () => Promise.all([pingDatabase(db), queues.ping()]);
    const health = createHealthServer({ check, notReadyReason: stalls.reason, readMetrics: metrics.read });
    await listen(health, { host: config.host, port: config.healthPort });
    onStop('health', () => health.close());
  }
  if (config.secretKeys.length === 0) log.warn('secrets.in_clear', { hint: unencryptedSecretsWarning });
  log.info('worker.started', { roles: [...config.roles], engine: backend.engine, concurrency: config.concurrency });
}

/** The queues of the worker's roles, each with its handler. */
function createConsumedQueues(
  config: WorkerConfig,
  deps: DispatchDeps,
  { leased, throttle, createLeaseRequest }: Dispatch,
): ConsumedQueue[] {
  const leaser: IngestDeps['leaser'] = {
    request: createLeaseRequest,
    start: (tasks, requestedAt) => leased.start(tasks, requestedAt, 'stored'),
  };
  const ingest = createIngest({ ...deps, leaser, leased, throttle });
  const all: ConsumedQueue[] = [
    { role: 'ingest-sms', queue: ingressQueues.sms, handler: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, handler: ingest },
    { role: 'verify', queue: verificationQueue, handler: createVerificationHandler(config, deps) },
    { role: 'verify', queue: testCallQueue, handler: createTestCallHandler(config, deps) },
  ];
  return all.filter(({ role }) => config.roles.has(role));
}

/** Starts no more calls at once, then waits for the running jobs and calls. */
async function stopWork(dispatch: Dispatch, consumers: Consumer[], { timeoutMs }: WorkerConfig): Promise<void> {
  await Promise.all([dispatch.stop(), closeConsumers(consumers, timeoutMs + 2_000)]);
  await dispatch.drained();
}

/** Closes consumers within `maxMs`, then by force. BullMQ's own close waits for ever while the engine is unavailable. */
async function closeConsumers(consumers: Consumer[], maxMs: number): Promise<void> {
  await withTimeout(maxMs, Promise.all(consumers.map((consumer) => consumer.close())), abandon);
  await withTimeout(1_000, Promise.all(consumers.map((consumer) => consumer.close(true))), abandon);
}
