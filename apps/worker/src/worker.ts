import { setMaxListeners } from 'node:events';
import { checkSecrets, createWaker, hasJit, openDatabase, pingDatabase } from '@ringback/database';
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
import { createTestCallHandler, createVerificationHandler } from './attempt/parts.js';
import { checkClock, watchClock } from './clock.js';
import type { WorkerConfig } from './config.js';
import { startDispatch } from './dispatch/dispatch.js';
import { openHealthServer } from './health.js';
import { createIngest, type IngestDeps } from './ingest/ingest.js';
import { consume, type Consumer, type Handler } from './jobs/consumers.js';
import { openPatience } from './jobs/patience.js';
import { createPoisonJobs } from './jobs/poison-jobs.js';
import { watchStandstill } from './jobs/standstill.js';
import { startWatchdog } from './jobs/watchdog.js';
import { startVerificationRepair } from './maintenance/lost-verifications.js';
import { startPausing } from './maintenance/pauses.js';
import { startReplaying } from './maintenance/replays.js';
import { startRetention } from './maintenance/retention.js';
import { startTakeover } from './maintenance/takeover.js';
import { openWorkerMetrics } from './metrics.js';
import { openSender } from './send/send.js';

// What does not stop in time is ended with the process.
const leaveIt = () => undefined;

/** One kind of job: whose role it is, where its jobs wait, and what is done with each. */
type Kind = { role: Role; queue: QueueName; handler: Handler };

// Jobs of a queue in hand at once. Most wait: events for their statement, calls for their answer.
const concurrency = 64;
// How often the worker of a job has to have died for the job to run alone.
const suspectAfter = 3;

const jitHint = 'a connection pooler drops `-c jit=off`: run ALTER ROLE ... SET jit = off (docs/operations.md)';

type Surroundings = { log: Logger; onStop: OnStop; fail: Fail };

/**
 * Starts everything that the configured roles need, and registers how it is stopped: first no more jobs are taken and
 * those in flight are finished, then the connections are closed. Throws a OperatorError that names the variable when the
 * database or the queue's engine cannot be reached.
 */
export async function startWorker(config: WorkerConfig, { log, onStop, fail }: Surroundings): Promise<void> {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const { secretKeys } = config;
  const bounds = { connections: 16, queryTimeoutMs: 30_000 };
  const db = openDatabase({ url: config.databaseUrl, secretKeys, ...bounds, planner: 'indexes', onError });
  onStop('database', () => db.close());
  await requireReachable('DATABASE_URL', () => pingDatabase(db));
  if (await hasJit(db)) log.warn('database.jit_on', { hint: jitHint });
  await checkClock(db);
  onStop('clock', watchClock(db, { log, fail }));

  const { redisUrl, databaseUrl, queuePrefix: prefix } = config;
  const engine = { redisUrl, databaseUrl, prefix };
  const backend = openBackend(engine);
  onStop('queue engine', () => backend.close());
  await requireReachable(config.redisUrl ? 'REDIS_URL' : 'DATABASE_URL', () => backend.check(), isUnfitEngine);
  await checkSecrets(db);
  const queues = openQueues({ ...engine, onError });
  onStop('queues', () => queues.close());
  // Calls that hang go on beside as many others, maybe to the same host.
  const sender = openSender({ ...config, perHost: config.concurrency * 2 });
  onStop('sender', () => sender.close());

  const stopping = new AbortController();
  // Each job in hand listens while it waits.
  setMaxListeners(0, stopping.signal);
  const persist = openPatience({ stopping: stopping.signal, log });
  const metrics = openWorkerMetrics({ db, queues });
  const traces = createTracer('ringback-worker', config.otlp, log);
  onStop('traces', () => traces?.close());
  const waker = createWaker(db, onError);
  onStop('wake-ups', () => waker.close());
  const parts = { db, queues, backend, waker, sender, log, metrics, traces, persist };
  const dispatch = startDispatch(config, parts);
  onStop('deliveries', () => withTimeout(config.timeoutMs + 1_000, dispatch.close(), leaveIt));
  const { leased, throttle } = dispatch;
  const leaser: IngestDeps['leaser'] = {
    request: dispatch.leaseRequest,
    start: (tasks, askedAt) => leased.start(tasks, askedAt, 'stored'),
  };
  const ingest = { suspectAfter, ...createIngest({ ...parts, leaser, leased, throttle }) };
  const all: Kind[] = [
    { role: 'ingest-sms', queue: ingressQueues.sms, handler: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, handler: ingest },
    { role: 'verify', queue: verificationQueue, handler: createVerificationHandler(config, parts) },
    { role: 'verify', queue: testCallQueue, handler: createTestCallHandler(config, parts) },
  ];
  const poisonJobs = createPoisonJobs();
  const kinds = all.filter(({ role }) => config.roles.has(role));
  const consumers = kinds.map(({ queue, handler }) =>
    consume({ backend, log, poisonJobs }, queue, { concurrency, handler }),
  );
  onStop('consumers', () => closeConsumers(consumers, config.timeoutMs + 2_000));
  onStop('watchdog', startWatchdog({ queues, consumers, log, fail }));
  const ingress = kinds.map(({ queue }) => queue).filter(isIngress);
  const standstill = watchStandstill({ queues, names: ingress, log });
  onStop('standstill', () => standstill.close());
  if (config.roles.has('reconcile')) {
    onStop('takeover', startTakeover({ ...parts, poisonJobs }));
    onStop('verification repair', startVerificationRepair(parts));
    onStop('replays', startReplaying(parts));
    onStop('pauses', startPausing(parts, config.pausing));
    onStop('retention', startRetention(db, { log, days: config.retentionDays }));
  }

  if (config.healthPort > 0) {
    const check = () => Promise.all([pingDatabase(db), queues.ping()]);
    const health = openHealthServer({ check, standstill: standstill.reason, readMetrics: metrics.read });
    await listen(health, { host: config.host, port: config.healthPort });
    onStop('health', () => health.close());
  }
  onStop('patience', () => stopping.abort());
  if (secretKeys.length === 0) log.warn('secrets.in_clear', { hint: unencryptedSecretsWarning });
  log.info('worker.started', { roles: [...config.roles], engine: backend.engine, concurrency: config.concurrency });
}

/** BullMQ's own close waits for ever while the engine is away; what is in flight gets this long and no longer. */
async function closeConsumers(consumers: Consumer[], withinMs: number): Promise<void> {
  await withTimeout(withinMs, Promise.all(consumers.map((consumer) => consumer.close())), leaveIt);
  await withTimeout(1_000, Promise.all(consumers.map((consumer) => consumer.close(true))), leaveIt);
}
