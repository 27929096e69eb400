import {
  requireReadableSecrets,
  Waker,
  warmPool,
  openDatabase,
  pingDatabase,
  requireMigrations,
} from '@ringback/ledger';
import { isUnsafeEvictionPolicy, openQueues } from '@ringback/queue';
import {
  announceReady,
  createLogger,
  errorFields,
  hostInUrl,
  listen,
  type Logger,
  createTracer,
  requireReachable,
  runProcess,
  unencryptedSecretsWarning,
  warnOfRenamedVariables,
} from '@ringback/process';
import { createApp } from './app.js';
import { readApiConfig } from './config.js';
import { ApiMetrics } from './http/metrics.js';
import { ApiServer } from './http/server.js';
import { findPortalFolder } from './portal/files.js';

let log: Logger | undefined;

runProcess(
  async (onStop) => {
    const config = readApiConfig(process.env);
    const logger = createLogger({ service: 'api', level: config.logLevel, format: config.logFormat });
    log = logger;
    warnOfRenamedVariables(process.env, logger);
    const onError = (error: Error) => logger.error('connection.error', errorFields(error));

    const { databaseUrl: url, databaseSchema: schema, secretKeys } = config;
    // A statement fails after at most 1 s of waiting for a connection and about 2 s of running. The request gets a 503.
    const timeouts = { connectTimeoutMs: 1_000, queryTimeoutMs: 2_000 };
    const poolOptions = { ...timeouts, keepConnections: true, parallelWorkers: 0 };
    const openPool = (connections: number) =>
      openDatabase({ url, schema, secretKeys, connections, ...poolOptions, onError });
    // The first has more connections than an account has requests at once (`RequestConcurrencyLimit`).
    const [db, reservedDb, bulkDb] = [openPool(10), openPool(4), openPool(2)];
    const databases = [db, reservedDb, bulkDb];
    onStop('database', () => Promise.all(databases.map((database) => database.close())));
    await requireReachable('DATABASE_URL', () => pingDatabase(db, { attempts: 3 }));
    await Promise.all(databases.map(warmPool));
    const { redisUrl, databaseUrl, queuePrefix: prefix } = config;
    const queues = openQueues({ redisUrl, databaseUrl, prefix, onError });
    onStop('queues', () => queues.close());
    await requireReachable(redisUrl ? 'REDIS_URL' : 'DATABASE_URL', () => queues.check(), isUnsafeEvictionPolicy);
    await requireMigrations(db);
    await requireReadableSecrets(db);
    const waker = new Waker(reservedDb, onError);
    onStop('wake-ups', () => waker.close());

    const tracer = createTracer('ringback-api', config.otlp, logger);
    onStop('traces', () => tracer?.close());

    // The default public URL contains the port. If `PORT` is 0, the port is known only after the server listens.
    const server = new ApiServer({ keepAliveMs: config.keepAliveMs });
    await listen(server, config);
    onStop('http', () => server.stop());
    const stopping = new AbortController();
    onStop('waiting requests', () => stopping.abort());
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : config.port;
    const publicUrl = config.publicUrl ?? `http://${hostInUrl(config.host)}:${port}`;
    const address = { publicUrl, baseUrl: `${publicUrl}${config.apiPath}` };
    const metrics = new ApiMetrics({ db, reservedDb, bulkDb, queues });
    const connections = { db, reservedDb, bulkDb, queues, waker, stopping: stopping.signal };
    const portalFolder = findPortalFolder();
    const app = createApp({ ...config, ...connections, log: logger, metrics, tracer, ...address, portalFolder });
    server.attach(app);
    if (secretKeys.length === 0) logger.warn('secrets.unencrypted', { hint: unencryptedSecretsWarning });
    logger.info('api.started', { port, public_url: publicUrl, base_url: address.baseUrl });
    announceReady(address);
  },
  { log: () => log, stopWithinMs: () => 10_000 },
);
