import { once } from 'node:events';
import {
  type Database,
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
import { deliveryQueues, ingressQueues, openBackend, openQueues, type QueueName, type Queues, verificationQueue } from '@ringback/queue';
import { errorFields, type Logger, type OnStop, readVersion, StartError } from '@ringback/runtime';
import type { WorkerConfig } from './config.js';
import { consume, type Handler } from './consumers.js';
import { deliver } from './deliver.js';
import { openHealthServer } from './health.js';
import { idOf } from './job-data.js';
import { persist } from './patience.js';
import { startReconciling } from './reconcile.js';
import type { Role } from './roles.js';
import { openSender, type Sender } from './send.js';
import { verify } from './verify.js';

const ingestConcurrency = 32;
const verifyConcurrency = 10;

type Surroundings = { log: Logger; onStop: OnStop };
type Parts = { db: Database; queues: Queues; sender: Sender; log: Logger };
type Consumer = { role: Role; queue: QueueName; concurrency: number; handle: Handler };

/**
 * Starts everything that the configured roles need, and registers how it is stopped: first no more jobs are taken and
 * those in flight are finished, then the connections are closed. Throws a StartError that names the variable when the
 * database or the queue's engine cannot be reached.
 */
export async function startWorker(config: WorkerConfig, { log, onStop }: Surroundings): Promise<void> {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const db = openDatabase({ url: config.databaseUrl, connections: 16, onError });
  onStop('database', () => db.close());
  await reach('DATABASE_URL', () => pingDatabase(db));

  const engine = { redisUrl: config.redisUrl, databaseUrl: config.databaseUrl, prefix: config.queuePrefix };
  const backend = openBackend(engine);
  onStop('queue engine', () => backend.close());
  await reach(config.redisUrl ? 'REDIS_URL' : 'DATABASE_URL', () => backend.check());
  const queues = openQueues({ ...engine, onError });
  onStop('queues', () => queues.close());
  const sender = openSender(config);
  onStop('sender', () => sender.close());

  const running = listConsumers(config, { db, queues, sender, log })
    .filter(({ role }) => config.roles.has(role))
    .map(({ queue, concurrency, handle }) => consume({ backend, log }, queue, { concurrency, handle }));
  onStop('consumers', () => Promise.all(running.map((consumer) => consumer.close())));
  if (config.roles.has('reconcile')) onStop('reconciler', startReconciling({ db, queues, log }));

  if (config.healthPort > 0) {
    const health = openHealthServer(() => Promise.all([pingDatabase(db), queues.ping()]));
    health.listen(config.healthPort);
    await once(health, 'listening');
    onStop('health', () => health.close());
  }
  log.info('worker.started', { roles: [...config.roles], engine: backend.engine, concurrency: config.concurrency });
}

async function reach(variable: string, ping: () => Promise<void>): Promise<void> {
  await ping().catch((error: unknown) => {
    throw new StartError(`${variable}: cannot be reached (${errorFields(error).error})`);
  });
}

function listConsumers(config: WorkerConfig, { db, queues, sender, log }: Parts): Consumer[] {
  const common = { send: sender.send, log, retries: config.retries, version: readVersion() };
  const delivering = {
    ...common,
    requireVerification: config.requireVerification,
    load: async (id: string) => (await loadDeliveries(db, [id]))[0],
    record: async (attempt: Parameters<typeof recordAttempts>[1][number]) =>
      (await persist(() => recordAttempts(db, [attempt]), isDatabaseUnavailable)).has(attempt.deliveryId),
    skip: (id: string, reason: string) => skipDelivery(db, id, reason),
  };
  const verifying = {
    ...common,
    load: (id: string) => loadVerification(db, id),
    record: (...words: [Parameters<typeof recordVerification>[1], Parameters<typeof recordVerification>[2]]) =>
      persist(() => recordVerification(db, ...words), isDatabaseUnavailable),
    end: (id: string, reason: string) => endVerification(db, id, reason),
  };

  const ingest: Handler = async ({ name, data }) => {
    const { eventId, state, reason } = await takeRaw({ db, queues }, name, data);
    log.info('event.taken', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
    return { type: 'done' };
  };
  const call: Handler = ({ data }) => deliver(delivering, idOf(data, 'deliveryId'));
  const challenge: Handler = ({ data }) => verify(verifying, idOf(data, 'verificationId'));
  const { concurrency } = config;
  return [
    { role: 'ingest-sms', queue: ingressQueues.sms, concurrency: ingestConcurrency, handle: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, concurrency: ingestConcurrency, handle: ingest },
    { role: 'deliver-sms', queue: deliveryQueues.sms, concurrency, handle: call },
    { role: 'deliver-rcs', queue: deliveryQueues.rcs, concurrency, handle: call },
    { role: 'verify', queue: verificationQueue, concurrency: verifyConcurrency, handle: challenge },
  ];
}
