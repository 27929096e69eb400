import { EventEmitter } from 'node:events';
import { createPostgresBackend, type PostgresConnection, withBackend } from 'bullmq';
import pg from 'pg';
import { requireWritableSql, SessionClient, sessionConfig } from '@ringback/process';
import { type OnError, type QueueEngine, type QueueHandle, queueDefaults, RecoveringQueue } from '../engine.js';
import { isEventQueue } from '../jobs.js';
import { keepDataText, JobConnection, type WorkerSettings } from '../job-connection.js';

const { Queue } = withBackend(createPostgresBackend);
const { Worker } = withBackend(keepDataText(createWorkerBackend));

// Without `enable_sort = off`, outdated statistics can make PostgreSQL sort all waiting jobs for each fetch, which then
// takes 20 times as long.
const queueSettings = { enable_sort: 'off' };

type Location = { databaseUrl: string; schema: string };

type ConnectionSettings = { max: number; queryTimeoutMs: number; isCommitAwaited: boolean };

const poolSettings = (
  { databaseUrl, schema }: Location,
  { max, queryTimeoutMs, isCommitAwaited }: ConnectionSettings,
) => ({
  ...sessionConfig(databaseUrl, schema, {
    ...queueSettings,
    statement_timeout: queryTimeoutMs,
    ...(isCommitAwaited ? {} : { synchronous_commit: 'off' }),
  }),
  max,
  connectionTimeoutMillis: 2_000,
  // Closes a connection that the network dropped silently. The server closes it too, which releases its locks.
  query_timeout: queryTimeoutMs + 500,
  application_name: 'ringback-queue',
});

// The first call also creates BullMQ's tables. A statement has its own, shorter timeout.
const callTimeoutMs = 30_000;

// A call waits for one of two connections, and fails when that takes a few seconds.
const maxReadAtOnce = 50;
type JobReader = { getJob(id: string): Promise<{ data: unknown } | undefined> };

/** Reads the data of jobs, as JSON. */
async function readTexts(queue: JobReader, ids: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < ids.length; start += maxReadAtOnce) {
    const jobs = await Promise.all(ids.slice(start, start + maxReadAtOnce).map((id) => queue.getJob(id)));
    texts.push(...jobs.map((job) => JSON.stringify(job?.data ?? '')));
  }
  return texts;
}

/** BullMQ on PostgreSQL, in a schema of its own in Ringback's database. */
export class PostgresEngine implements QueueEngine {
  readonly kind = 'postgres';
  readonly #location: Location;

  constructor(location: Location) {
    this.#location = location;
    // BullMQ opens the connection on which it listens as a `pg.Client`, and handles its errors only some time after it
    // is connected. A server that ends it before would end this process too.
    Object.assign(pg, { Client: SessionClient });
  }

  openQueue(name: string, onError: OnError): QueueHandle {
    const connection = this.#connectionOptions({ max: 2, queryTimeoutMs: 5_000, isCommitAwaited: true });
    return new RecoveringQueue(name, {
      create: () => new Queue(name, { connection, ...queueDefaults }).on('error', onError),
      connect: () => Promise.resolve(),
      readData: readTexts,
      hasPausedState: true,
      readyTimeoutMs: callTimeoutMs,
      replyTimeoutMs: callTimeoutMs,
    });
  }

  openJobConnection(name: string, settings: Required<WorkerSettings>, onError: OnError): JobConnection {
    // An event that is fetched again, because PostgreSQL crashed and lost its completion, is recognised as a duplicate.
    const isCommitAwaited = !isEventQueue(name);
    const options = this.#connectionOptions({ max: 8, queryTimeoutMs: 10_000, isCommitAwaited });
    // No caller waits for a worker's connection, and a machine is busiest while its processes start.
    const connection = { ...options, connectionTimeoutMillis: 5_000 };
    const worker = new Worker<string>(name, null, { connection, ...settings });
    return new JobConnection(worker.on('error', onError), settings);
  }

  async check(): Promise<void> {
    const { databaseUrl, schema } = this.#location;
    const client = new SessionClient({ ...sessionConfig(databaseUrl, schema), connectionTimeoutMillis: 2_000 });
    await client.connect();
    await client.end();
  }

  // The queues are in the same database as the deliveries, so jobs are lost only together with deliveries.
  async isMarkerMissing(): Promise<boolean> {
    return false;
  }

  async writeMarker(): Promise<void> {}

  async close(): Promise<void> {}

  #connectionOptions(settings: ConnectionSettings) {
    return { ...poolSettings(this.#location, settings), schema: this.#location.schema, migrate: true };
  }
}

/**
 * BullMQ's backend for a worker. After each wait that brought no job, the connection that listens for jobs is checked:
 * after a failover it would stay on the old server, which gives it no error and no jobs.
 */
function createWorkerBackend(...args: Parameters<typeof createPostgresBackend>) {
  const backend = createPostgresBackend(...args);
  const waitForJob = backend.waitForJob.bind(backend);
  backend.waitForJob = async (seconds) => {
    const job = await waitForJob(seconds);
    if (job === null && !backend.connection.isClosing) await leaveReadOnlyServer(backend.connection);
    return job;
  };
  return backend;
}

async function leaveReadOnlyServer(connection: PostgresConnection): Promise<void> {
  const client = await connection.getListenClient();
  try {
    await client.query(requireWritableSql);
  } catch (error) {
    // BullMQ replaces a client that emits an error.
    if (client instanceof EventEmitter) client.emit('error', error);
  }
}
