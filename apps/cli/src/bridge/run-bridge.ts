import { setMaxListeners } from 'node:events';
import { createWaker, openDatabase, pingDatabase, requireMigrations } from '@ringback/ledger';
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
} from '@ringback/process';
import { consumeMessages } from './consume-messages.js';
import { createMessageIngester } from './ingest.js';
import { createBridgeMetrics } from './metrics.js';
import type { Source } from './source.js';

// A bridge that needs longer to stop is ended with code 1. The broker delivers again what it has not acknowledged.
const stopWithinMs = 12_000;

export type BridgeSettings = { source: Source; defaultEvent: string | undefined };

/** Runs a bridge until SIGTERM or SIGINT. */
export function runBridge(settings: BridgeSettings): void {
  let log: Logger | undefined;
  const start = (onStop: OnStop) => {
    const config = readConfig(completeEnvironment(process.env), variableNames);
    log = createLogger({ service: 'bridge', level: config.LOG_LEVEL, format: config.LOG_FORMAT });
    return startParts({ ...settings, config }, log, onStop);
  };
  runProcess(async (onStop) => start(onStop), { log: () => log, stopWithinMs: () => stopWithinMs });
}

const variableNames = [
  'DATABASE_URL',
  'DATABASE_SCHEMA',
  'SECRETS_KEY',
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
async function startParts({ source, defaultEvent, config }: Settings, log: Logger, onStop: OnStop): Promise<void> {
  const onError = (error: Error) => log.error('connection.error', errorFields(error));
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, SECRETS_KEY: secretKeys } = config;
  const db = openDatabase({ url, schema, secretKeys, connections: 4, queryTimeoutMs: 30_000, onError });
  onStop('database', () => db.close());
  await requireReachable('DATABASE_URL', () => pingDatabase(db, { attempts: 3 }));
  await requireMigrations(db);
  const waker = createWaker(db, onError);
  onStop('wake-ups', () => waker.close());

  const stopping = new AbortController();
  // Each message that waits for PostgreSQL adds a listener, so there is no limit.
  setMaxListeners(0, stopping.signal);
  const metrics = createBridgeMetrics(db);
  const deps = { db, waker, log, stopping: stopping.signal, ...metrics };
  const ingest = createMessageIngester(deps, defaultEvent);
  const { stopped } = await consumeMessages({ ...deps, source, ingest });
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
