import { setMaxListeners } from 'node:events';
import {
  checkSecrets,
  createRetryWhileUnavailable,
  createWaker,
  hasJit,
  openDatabase,
  pingDatabase,
  requireMigrations,
} from '@ringback/database';
import { createHealthServer } from '@ringback/metrics';
import {
  ingressQueues,
  isIngress,
  isUnfitEngine,
  openBackend,
  openQueues,
  type QueueName,
  testCallQueue,
  verificationQueue,
} from '@ringback/queue';
import {
  errorFields,
  type Fail,
  listen,
  type Logger,
  type OnStop,
  createTracer,
  requireReachable,
  type Role,
  unencryptedSecretsWarning,
  withTimeout,
} from '@ringback/runtime';
import { createTestCallHandler } from './attempt/test-call-handler.js';
import { createVerificationHandler } from './attempt/verification-handler.js';
import { checkClock, watchClock } from './clock.js';
import type { WorkerConfig } from './config.js';
import { startDispatch } from './dispatch/start-dispatch.js';
import { createIngest, type IngestDeps } from './ingest/ingest.js';
import { startConsumer, type Consumer, type Handler } from './jobs/consumer.js';
import { createPoisonJobs } from './jobs/poison-jobs.js';
import { watchStandstill } from './jobs/ingress-standstill.js';
import { startWatchdog } from './jobs/watchdog.js';
import { createMaintenanceJobs } from './maintenance/jobs.js';
import { startMaintenanceJob } from './maintenance/maintenance-job.js';
import { createWorkerMetrics } from './metrics.js';
import { createSender } from './send/send.js';

// Called when work does not end in time: it ends with the process.
const abandon = () => undefined;

/** A queue that workers with the role consume. */
type ConsumedQueue = { role: Role; queue: QueueName; handler: Handler };

// Maximum running jobs per queue. Most of them only wait: events for their statement, requests for their response.
const jobConcurrency = 64;

const jitHint = 'a connection pooler drops `-c jit=off`: run ALTER ROLE ... SET jit = off (docs/operations.md)';

type ProcessHooks = { log: Logger; onStop: OnStop; fail: Fail };

/**
 * Starts the parts that the configured roles need. They are stopped in reverse order: the worker fetches no more jobs,
 * finishes the running ones, then closes its connections. Throws an OperatorError that names the variable when the
 * database or the queue engine cannot be reached.
 */
export async function startWorker(config: WorkerConfig, { log, onStop, fail }: ProcessHooks): Promise<void> {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const { secretKeys } = config;
  const limits = { connections: 16, queryTimeoutMs: 30_000 };
  const db = openDatabase({ url: config.databaseUrl, secretKeys, ...limits, planner: 'indexes', onError });
  onStop('database', () => db.close());
  await requireReachable('DATABASE_URL', () => pingDatabase(db, { attempts: 3 }));
  if (await hasJit(db)) log.warn('database.jit_on', { hint: jitHint });
  await checkClock(db);
  onStop('clock', watchClock(db, { log, fail }));

  const { redisUrl, databaseUrl, queuePrefix: prefix } = config;
  const engine = { redisUrl, databaseUrl, prefix };
  const backend = openBackend(engine);
  onStop('queue engine', () => backend.close());
  await requireReachable(config.redisUrl ? 'REDIS_URL' : 'DATABASE_URL', () => backend.check(), isUnfitEngine);
  await requireMigrations(db);
  await checkSecrets(db);
  const queues = openQueues({ ...engine, onError });
  onStop('queues', () => queues.close());
  // Requests to unresponsive receivers do not reduce the number of other requests, so one host may have twice as many.
  const sender = createSender({ ...config, maxPerHost: config.concurrency * 2 });
  onStop('sender', () => sender.close());

  const stopping = new AbortController();
  // Each job that waits for PostgreSQL adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const retryWhileUnavailable = createRetryWhileUnavailable({ stopping: stopping.signal, log, program: 'worker' });
  const metrics = createWorkerMetrics({ db, queues });
  const traces = createTracer('ringback-worker', config.otlp, log);
  onStop('traces', () => traces?.close());
  const waker = createWaker(db, onError);
  onStop('wake-ups', () => waker.close());
  const deps = { db, queues, backend, waker, sender, log, metrics, traces, retryWhileUnavailable };
  const dispatch = startDispatch(config, deps);
  onStop('deliveries', () => withTimeout(config.timeoutMs + 1_000, dispatch.close(), abandon));
  const { leased, throttle } = dispatch;
  const leaser: IngestDeps['leaser'] = {
    request: dispatch.createLeaseRequest,
    start: (tasks, requestedAt) => leased.start(tasks, requestedAt, 'stored'),
  };
  const ingest = createIngest({ ...deps, leaser, leased, throttle });
  const allQueues: ConsumedQueue[] = [
    { role: 'ingest-sms', queue: ingressQueues.sms, handler: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, handler: ingest },
    { role: 'verify', queue: verificationQueue, handler: createVerificationHandler(config, deps) },
    { role: 'verify', queue: testCallQueue, handler: createTestCallHandler(config, deps) },
  ];
  const poisonJobs = createPoisonJobs();
  const consumed = allQueues.filter(({ role }) => config.roles.has(role));
  const consumers = consumed.map(({ queue, handler }) =>
    startConsumer({ backend, log, poisonJobs }, queue, { concurrency: jobConcurrency, handler }),
  );
  onStop('consumers', () => closeConsumers(consumers, config.timeoutMs + 2_000));
  onStop('watchdog', startWatchdog({ queues, consumers, log, fail }));
  const ingress = consumed.map(({ queue }) => queue).filter(isIngress);
  const standstill = watchStandstill({ queues, names: ingress, log });
  onStop('standstill', () => standstill.close());
  if (config.roles.has('reconcile')) {
    const jobs = createMaintenanceJobs(config, { ...deps, poisonJobs });
    for (const job of jobs) onStop(job.name, startMaintenanceJob(job, log));
  }

  if (config.healthPort > 0) {
    const check = () => Promise.all([pingDatabase(db), queues.ping()]);
    const health = createHealthServer({ check, standstill: standstill.reason, readMetrics: metrics.read });
    await listen(health, { host: config.host, port: config.healthPort });
    onStop('health', () => health.close());
  }
  onStop('retries while PostgreSQL is unavailable', () => stopping.abort());
  if (secretKeys.length === 0) log.warn('secrets.in_clear', { hint: unencryptedSecretsWarning });
  log.info('worker.started', { roles: [...config.roles], engine: backend.engine, concurrency: config.concurrency });
}

/** Closes consumers within `maxMs`, then by force. BullMQ's own close waits for ever while the engine is unavailable. */
async function closeConsumers(consumers: Consumer[], maxMs: number): Promise<void> {
  await withTimeout(maxMs, Promise.all(consumers.map((consumer) => consumer.close())), abandon);
  await withTimeout(1_000, Promise.all(consumers.map((consumer) => consumer.close(true))), abandon);
}
