import {
  continueOutcomePositions,
  requireReadableSecrets,
  Waker,
  findLostSettings,
  openDatabase,
  pingDatabase,
  requireMigrations,
} from '@ringback/ledger';
import { isUnsafeEvictionPolicy, openQueueEngine, Queues } from '@ringback/queue';
import { createTracer, errorFields, type Fail, type Logger, type OnStop, requireReachable } from '@ringback/process';
import { checkClock, watchClock } from './clock.js';
import type { WorkerConfig } from './config.js';
import { EgressProxy } from './sender/egress-proxy.js';
import { Sender } from './sender/send.js';

export type ProcessHooks = { log: Logger; onStop: OnStop; fail: Fail };

const lostHint = 'a connection pooler drops them: let workers connect to PostgreSQL itself (docs/operate/deploy.md)';

const continuedHint = 'the database was restored into another cluster; the cursors of outcomes stay valid';

export type Resources = Awaited<ReturnType<typeof openResources>>;

/**
 * Opens a worker's connections and clients, and registers how they are closed. Throws an OperatorError that names the
 * environment variable when the database or the queue engine cannot be reached. Also throws when the clock is wrong,
 * Redis may evict jobs, a migration is missing, or no key decrypts the secrets.
 */
export async function openResources(config: WorkerConfig, { log, onStop, fail }: ProcessHooks) {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const { databaseUrl: url, databaseSchema: schema, secretKeys } = config;
  const limits = { connections: 16, queryTimeoutMs: 30_000 };
  const db = openDatabase({ url, schema, secretKeys, ...limits, planner: 'indexes', onError });
  onStop('database', () => db.close());
  await requireReachable('DATABASE_URL', () => pingDatabase(db, { attempts: 3 }));
  const lost = await findLostSettings(db);
  if (lost.length > 0) log.warn('database.settings_lost', { settings: lost, hint: lostHint });
  await checkClock(db);
  const clock = watchClock(db, { log, fail });
  onStop('clock', () => void clock.stop());

  const { redisUrl, databaseUrl, queuePrefix: prefix } = config;
  const engine = openQueueEngine({ redisUrl, databaseUrl, prefix });
  onStop('queue engine', () => engine.close());
  await requireReachable(config.redisUrl ? 'REDIS_URL' : 'DATABASE_URL', () => engine.check(), isUnsafeEvictionPolicy);
  await requireMigrations(db);
  if (await continueOutcomePositions(db.pool)) log.warn('outcomes.continued', { hint: continuedHint });
  await requireReadableSecrets(db);
  const queues = new Queues(engine, { onError });
  onStop('queues', () => queues.close());
  // The concurrency limiter does not count attempts to unresponsive receivers beyond their quota, so more than
  // `concurrency` requests may be in flight to one host.
  const { callbackTimeoutMs: timeoutMs } = config;
  const egressProxy = config.egressProxy && new EgressProxy({ ...config.egressProxy, timeoutMs, log });
  if (config.probesEgressProxy) void egressProxy?.probe();
  const egress = { proxy: egressProxy, allow: config.egressAllowList, operatorCa: config.operatorCa };
  const sender = new Sender({ ...egress, timeoutMs, maxPerHost: config.concurrency * 2 });
  onStop('sender', () => sender.close());
  const tracer = createTracer('ringback-worker', config.otlp, log);
  onStop('traces', () => tracer?.close());
  const waker = new Waker(db, onError);
  onStop('wake-ups', () => waker.close());
  return { db, engine, queues, sender, egressProxy, tracer, waker };
}
