import { once } from 'node:events';
import {
  endVerification,
  isDatabaseUnavailable,
  loadDeliveries,
  loadVerification,
  openDatabase,
  pingDatabase,
  recordAttempts,
  recordVerification,
  skipDelivery,
} from '@ringback/database';
import { takeRaw } from '@ringback/intake';
import { deliveryQueues, ingressQueues, openBackend, openQueues, verificationQueue, type QueueName } from '@ringback/queue';
import { announceReady, createLogger, errorFields, type Logger, readVersion, runProcess, StartError } from '@ringback/runtime';
import { readWorkerConfig } from './config.js';
import { consume, type Handler } from './consumers.js';
import { deliver, type DeliverDeps } from './deliver.js';
import { openHealthServer } from './health.js';
import { idOf } from './job-data.js';
import { persist } from './patience.js';
import { startReconciling } from './reconcile.js';
import type { Role } from './roles.js';
import { openSender } from './send.js';
import { verify, type VerifyDeps } from './verify.js';

const ingestConcurrency = 32;
const verifyConcurrency = 10;
let log: Logger | undefined;

runProcess(
  async (onStop) => {
    const config = readWorkerConfig(process.env);
    const logger = createLogger({ service: 'worker', level: config.logLevel, format: config.logFormat });
    log = logger;
    const onError = (error: Error) => logger.error('connection.error', errorFields(error));

    const db = openDatabase({ url: config.databaseUrl, connections: 16, onError });
    onStop('database', () => db.close());
    await pingDatabase(db).catch((error: unknown) => {
      throw new StartError(`DATABASE_URL: the database does not answer (${errorFields(error).error})`);
    });

    const queueSettings = { redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, prefix: config.queuePrefix };
    const backend = openBackend(queueSettings);
    onStop('queue engine', () => backend.close());
    await backend.check().catch((error: unknown) => {
      throw new StartError(`${config.redisUrl ? 'REDIS_URL' : 'DATABASE_URL'}: ${errorFields(error).error}`);
    });
    const queues = openQueues({ ...queueSettings, onError });
    onStop('queues', () => queues.close());

    const sender = openSender(config);
    onStop('sender', () => sender.close());

    const common = { send: sender.send, log: logger, retries: config.retries, version: readVersion() };
    const delivering: DeliverDeps = {
      ...common,
      requireVerification: config.requireVerification,
      load: async (id) => (await loadDeliveries(db, [id]))[0],
      record: async (attempt) =>
        (await persist(() => recordAttempts(db, [attempt]), isDatabaseUnavailable)).has(attempt.deliveryId),
      skip: (id, reason) => skipDelivery(db, id, reason),
    };
    const verifying: VerifyDeps = {
      ...common,
      load: (id) => loadVerification(db, id),
      record: (task, result) => persist(() => recordVerification(db, task, result), isDatabaseUnavailable),
      end: (id, reason) => endVerification(db, id, reason),
    };

    const ingest: Handler = async ({ name, data }) => {
      const { eventId, state, reason } = await takeRaw({ db, queues }, name, data);
      logger.info('event.taken', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
      return { type: 'done' };
    };
    const call: Handler = ({ data }) => deliver(delivering, idOf(data, 'deliveryId'));
    const challenge: Handler = ({ data }) => verify(verifying, idOf(data, 'verificationId'));
    const { concurrency } = config;

    const consumers: { role: Role; queue: QueueName; concurrency: number; handle: Handler }[] = [
      { role: 'ingest-sms', queue: ingressQueues.sms, concurrency: ingestConcurrency, handle: ingest },
      { role: 'ingest-rcs', queue: ingressQueues.rcs, concurrency: ingestConcurrency, handle: ingest },
      { role: 'deliver-sms', queue: deliveryQueues.sms, concurrency, handle: call },
      { role: 'deliver-rcs', queue: deliveryQueues.rcs, concurrency, handle: call },
      { role: 'verify', queue: verificationQueue, concurrency: verifyConcurrency, handle: challenge },
    ];
    const running = consumers
      .filter(({ role }) => config.roles.has(role))
      .map(({ queue, ...rest }) => consume({ backend, log: logger }, queue, rest));
    onStop('consumers', () => Promise.all(running.map((consumer) => consumer.close())));

    if (config.roles.has('reconcile')) onStop('reconciler', startReconciling({ db, queues, log: logger }));

    if (config.healthPort > 0) {
      const health = openHealthServer(() => Promise.all([pingDatabase(db), queues.ping()]));
      health.listen(config.healthPort);
      await once(health, 'listening');
      onStop('health', () => health.close());
    }
    logger.info('worker.started', { roles: [...config.roles], engine: backend.engine, concurrency });
    announceReady();
  },
  { log: () => log, stopWithinMs: 10_000 },
);
