import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { deadClientDetection, handleConnectionErrors, sessionConfig } from '@ringback/runtime';
import { createRecoveringQueue, type QueueEngine, queueDefaults } from '../engine.js';
import { keepDataText, openWorkerConnection } from '../worker-connection.js';

/**
 * BullMQ's backend, whose clients handle their error events. Without a handler, the process would end when a connection
 * breaks between two statements of a transaction.
 */
const createBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args);
  handleConnectionErrors(backend.connection.pool);
  return backend;
};

const { Queue } = withBackend(createBackend);
const { Worker } = withBackend(keepDataText(createBackend));

const { keepalives, ...timeouts } = deadClientDetection;
// Without `enable_sort = off`, outdated statistics can make PostgreSQL sort all waiting jobs for each fetch, which then
// takes 20 times as long.
const sessionSettings = { enable_sort: 'off', ...timeouts, ...keepalives };

type Location = { databaseUrl: string; schema: string };

const poolSettings = ({ databaseUrl, schema }: Location, max: number, queryTimeoutMs: number) => ({
  ...sessionConfig(databaseUrl, { ...sessionSettings, search_path: `"${schema}"`, statement_timeout: queryTimeoutMs }),
  max,
  connectionTimeoutMillis: 2_000,
  // Closes a connection that the network dropped silently. The server closes it too, which releases its locks.
  query_timeout: queryTimeoutMs + 500,
  application_name: 'ringback-queue',
});

// The first call also creates BullMQ's tables. A statement has its own, shorter timeout.
const callTimeoutMs = 30_000;

/** Opens BullMQ on PostgreSQL, in a schema of its own in Ringback's database. */
export function openPostgresEngine(location: Location): QueueEngine {
  const { databaseUrl, schema } = location;
  const connectionOptions = (max: number, queryTimeoutMs: number) => ({
    ...poolSettings(location, max, queryTimeoutMs),
    schema,
    migrate: true,
  });
  return {
    kind: 'postgres',
    openQueue(name, onError) {
      const create = () =>
        new Queue(name, { connection: connectionOptions(2, 5_000), ...queueDefaults }).on('error', onError);
      const connect = () => Promise.resolve();
      return createRecoveringQueue(name, {
        create,
        connect,
        readyTimeoutMs: callTimeoutMs,
        replyTimeoutMs: callTimeoutMs,
      });
    },
    openWorker(name, settings, onError) {
      // No caller waits for a worker's connection, and a machine is busiest while its processes start.
      const connection = { ...connectionOptions(8, 10_000), connectionTimeoutMillis: 5_000 };
      return openWorkerConnection(Worker, name, { connection }, { settings, onError });
    },
    async check() {
      const client = new pg.Client({ ...sessionConfig(databaseUrl), connectionTimeoutMillis: 2_000 });
      // Without a handler, the process would end when the connection breaks.
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
    },
    // The queues are in the same database as the deliveries, so jobs are lost only together with deliveries.
    isMarkerMissing: () => Promise.resolve(false),
    writeMarker: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
