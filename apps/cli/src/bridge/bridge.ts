import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, pingDatabase, requireMigrations, requireWritable, type Database } from '@ringback/ledger';
import { completeEnvironment } from '@ringback/process/command-line';
import {
  announceReady,
  type Config,
  createLogger,
  errorFields,
  listen,
  type Logger,
  type OnStop,
  readConfig,
  requireReachable,
  runProcess,
  withTimeout,
  readVersion,
  warnOfRenamedVariables,
} from '@ringback/process';
import { createEventCounters, createHealthServer, createRegistry, Gauge } from '@ringback/process/metrics';
import {
  aborted,
  type BrokerConnection,
  brokerErrorFields,
  connectErrorFields,
  toOperatorError,
  type IngestMessage,
  type Source,
} from './broker.js';
import { MessageIngester } from './ingest.js';
import type { MessageForm } from './message.js';

// A bridge that needs longer to stop is ended with code 1. The broker delivers again what it has not acknowledged.
const stopWithinMs = 12_000;

type BridgeSettings = { source: Source; form: MessageForm };

/** Runs a bridge until SIGTERM or SIGINT. */
export function runBridge(settings: BridgeSettings): void {
  let log: Logger | undefined;
  const start = (onStop: OnStop) => {
    const config = readConfig(completeEnvironment(process.env), variableNames);
    log = createLogger({ service: 'bridge', level: config.LOG_LEVEL, format: config.LOG_FORMAT });
    warnOfRenamedVariables(process.env, log);
    return startParts({ ...settings, config }, log, onStop);
  };
  runProcess(async (onStop) => start(onStop), { log: () => log, stopWithinMs: () => stopWithinMs });
}

const variableNames = [
  'DATABASE_URL',
  'DATABASE_SCHEMA',
  'SECRETS_KEYS',
  'HEALTH_PORT',
  'HOST',
  'LOG_LEVEL',
  'LOG_FORMAT',
] as const;

type Settings = BridgeSettings & { config: Config<(typeof variableNames)[number]> };

/**
 * Starts the parts of a bridge. Throws an OperatorError when PostgreSQL or the broker cannot be reached, or a migration
 * is missing.
 */
async function startParts({ source, form, config }: Settings, log: Logger, onStop: OnStop): Promise<void> {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, SECRETS_KEYS: secretKeys } = config;
  const db = openDatabase({ url, schema, secretKeys, connections: 4, queryTimeoutMs: 30_000, onError });
  onStop('database', () => db.close());
  await requireReachable('DATABASE_URL', () => pingDatabase(db, { attempts: 3 }));
  await requireMigrations(db);

  const stopping = new AbortController();
  // Each message that waits for PostgreSQL adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const metrics = createBridgeMetrics(db);
  const deps = { db, log, stopping: stopping.signal, ...metrics };
  const ingester = new MessageIngester(deps, form);
  const { stopped } = await consumeMessages({ ...deps, source, ingest: (message) => ingester.ingest(message) });
  onStop('messages', async () => {
    stopping.abort();
    const reportUnfinished = () => log.error('bridge.unfinished', { source: source.name });
    await withTimeout(stopWithinMs - 1_000, stopped, reportUnfinished);
    await stopped;
  });
  if (config.HEALTH_PORT > 0) {
    const server = metrics.createServer();
    await listen(server, { host: config.HOST, port: config.HEALTH_PORT });
    onStop('health', () => server.close());
  }
  announceReady();
}

const reconnectMs = { first: 500, max: 10_000 };
/** After a connection that lasted at least this long, the next wait is the first one again. */
const stableMs = 5_000;

type ConsumeDeps = {
  source: Pick<Source, 'name' | 'connect'>;
  ingest: IngestMessage;
  log: Logger;
  stopping: AbortSignal;
  /** Called when the broker is connected and when the connection breaks. */
  setConnected(isConnected: boolean): void;
};

/**
 * Connects to the broker and ingests messages until `stopping` aborts. When a connection breaks, it connects again,
 * with growing waits. Throws an OperatorError when the first connection fails. `stopped` resolves after `stopping` has
 * aborted, when the last connection is closed and its messages in flight are acknowledged.
 */
export async function consumeMessages(deps: ConsumeDeps): Promise<{ stopped: Promise<void> }> {
  const { source, ingest, log, stopping, setConnected } = deps;
  let waitMs = reconnectMs.first;
  const connect = async () => {
    const connection = await source.connect();
    setConnected(true);
    log.info('bridge.connected', { source: source.name });
    return connection;
  };
  const reconnect = async (): Promise<BrokerConnection | undefined> => {
    for (;;) {
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return undefined;
      waitMs = Math.min(waitMs * 2, reconnectMs.max);
      try {
        return await connect();
      } catch (error) {
        log.warn('bridge.unavailable', { source: source.name, ...connectErrorFields(error) });
      }
    }
  };
  const runConnection = async (connection: BrokerConnection) => {
    const startedAt = performance.now();
    await connection.run(ingest, stopping).catch((error: unknown) => {
      setConnected(false);
      log.warn('bridge.disconnected', { source: source.name, ...brokerErrorFields(error) });
    });
    if (performance.now() - startedAt >= stableMs) waitMs = reconnectMs.first;
    await connection.close();
  };
  const stopRequest = aborted(stopping).then(() => undefined);
  const keepRunning = async (first: BrokerConnection) => {
    for (let connection: BrokerConnection | undefined = first; connection !== undefined;) {
      await runConnection(connection);
      // Stopping must not wait for a slow connect.
      connection = stopping.aborted ? undefined : await Promise.race([reconnect(), stopRequest]);
    }
  };
  const first = await connect().catch((error: unknown) => {
    throw toOperatorError(error);
  });
  return { stopped: keepRunning(first) };
}

/**
 * Creates the metrics of a bridge, among them the events by state and whether the broker is connected, and the health
 * server that shows them. `/readyz` is 200 while PostgreSQL accepts writes and the broker is connected.
 */
function createBridgeMetrics(db: Database) {
  let isConnected = false;
  const check = () => requireWritable(db);
  const registry = createRegistry({ version: readVersion(), checkReady: check, pools: [db.pool] });
  const connected = new Gauge({
    name: 'ringback_bridge_connected',
    help: '1 while the bridge is connected to its broker, else 0.',
    registers: [registry],
  });
  const readMetrics = async () => ({ type: registry.contentType, text: await registry.metrics() });
  const notReadyReason = () => (isConnected ? null : 'the broker is not connected');
  return {
    events: createEventCounters(registry),
    setConnected(value: boolean) {
      isConnected = value;
      connected.set(value ? 1 : 0);
    },
    createServer: () => createHealthServer({ check, notReadyReason, readMetrics }),
  };
}
