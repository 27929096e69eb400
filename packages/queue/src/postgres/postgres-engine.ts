import { types } from 'node:util';
import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { deadClientDetection, handleConnectionErrors, isNetworkErrorCode, sessionConfig } from '@ringback/runtime';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { type QueueEngine, queueDefaults } from '../queue-engine.js';
import { withFairOrder } from '../ingress/fair-queue.js';
import { isIngress } from '../queue-names.js';
import { type PreviousQueueName, previousQueueNames } from '../previous-queues.js';
import { createPostgresFairQueue } from './postgres-fair-queue.js';

const transientCodes = /^(25P03|57014|57P0[123]|08\w{3}|53300|40P01|40001)$/;
const transientMessages =
  /connection terminated|timeout exceeded when trying to connect|connection ended|query read timeout/i;

/**
 * Replaces a transient error by one with the code ECONNREFUSED, and makes the original its `cause`. BullMQ retries only
 * after this code: any other transient error would turn a finished job into a failed attempt.
 */
function asRetryable(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!transientCodes.test(code) && !isNetworkErrorCode(code) && !transientMessages.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}

/**
 * A client that handles its error events. Without a handler, the process would end when a connection breaks between two
 * statements of a transaction, or while it starts to listen.
 */
class ErrorHandlingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/**
 * BullMQ's PostgreSQL backend with two changes for outages: transient errors are retried, and a failed first connection
 * is tried again. BullMQ's own backend would fail for ever after it. It replaces private members of BullMQ, whose
 * version is pinned; backend.test.ts checks it by restarting the server.
 */
const createResilientBackend: typeof createPostgresBackend = (name, options, more) => {
  const backend = createPostgresBackend(name, options, more);
  const { connection } = backend;
  const query = connection.pool.query.bind(connection.pool);
  const queryWithRetryableErrors = (...args: Parameters<typeof query>) =>
    query(...args).catch((error: unknown) => Promise.reject(asRetryable(error)));
  Reflect.set(connection.pool, 'query', queryWithRetryableErrors);
  handleConnectionErrors(connection.pool);
  Reflect.set(connection, 'pgModule', { Client: ErrorHandlingClient });
  retryFailedStart(connection);
  retryFailedStart(backend);
  return backend;
};

/** Makes the next call connect again when the first connection failed. BullMQ would return the same failure for ever. */
function retryFailedStart(owner: { waitUntilReady(): Promise<void> }): void {
  const wait = owner.waitUntilReady.bind(owner);
  owner.waitUntilReady = () =>
    wait().catch((error: unknown) => {
      Reflect.set(owner, 'readyPromise', undefined);
      throw asRetryable(error);
    });
}

const { Queue, Worker } = withBackend(createResilientBackend);

/**
 * Adds a batch of one job as a single job. BullMQ creates two temporary tables for each batch, which takes ten times as
 * long.
 */
function addSingleJobsDirectly(queue: InstanceType<typeof Queue>): void {
  const addBulk = queue.addBulk.bind(queue);
  queue.addBulk = async (jobs) => {
    const [job, ...others] = jobs;
    return job && others.length === 0 ? [await queue.add(job.name, job.data, job.opts)] : addBulk(jobs);
  };
}

const { keepalives, ...timeouts } = deadClientDetection;
// Without `enable_sort = off`, outdated statistics can make PostgreSQL sort all waiting jobs for each fetch, 20 times
// slower.
const settings = { enable_sort: 'off', ...timeouts, ...keepalives };

/** Whether BullMQ's tables do not exist yet, because no queue has been opened. */
const isTableMissing = (error: unknown) => types.isNativeError(error) && 'code' in error && error.code === '42P01';

type Location = { databaseUrl: string; schema: string };

const poolSettings = ({ databaseUrl, schema }: Location, max: number, queryTimeoutMs: number) => ({
  ...sessionConfig(databaseUrl, { ...settings, search_path: `"${schema}"`, statement_timeout: queryTimeoutMs }),
  max,
  connectionTimeoutMillis: 2_000,
  // Closes a connection that the network dropped silently. The server closes it too, which releases its locks.
  query_timeout: queryTimeoutMs + 500,
  application_name: 'ringback-queue',
});

function openPool(location: Location): pg.Pool {
  const pool = new pg.Pool(poolSettings(location, 1, 2_000));
  handleConnectionErrors(pool);
  return pool.on('error', () => undefined);
}

/** BullMQ on PostgreSQL, in its own schema of Ringback's database. */
export function openPostgresEngine(location: Location): QueueEngine {
  const { databaseUrl, schema } = location;
  const connection = (max: number, queryTimeoutMs: number) => ({
    ...poolSettings(location, max, queryTimeoutMs),
    schema,
    migrate: true,
  });
  let shared: pg.Pool | undefined;
  const getShared = () => (shared ??= openPool(location));
  return {
    kind: 'postgres',
    openQueue(name, onError) {
      const queue = new Queue(name, { connection: connection(2, 5_000), ...queueDefaults });
      queue.on('error', onError);
      addSingleJobsDirectly(queue);
      return queue;
    },
    openWorker(name, processJob, settings, onError) {
      const processor = isIngress(name)
        ? withFairOrder(createPostgresFairQueue(getShared, name), processJob, onError)
        : processJob;
      const worker = createStartOnFetchWorker(Worker, name, processor, {
        ...settings,
        // No caller waits for a worker's connection, and a machine is busiest while its processes start.
        connection: { ...connection(8, 10_000), connectionTimeoutMillis: 5_000 },
      });
      worker.on('error', onError);
      return worker;
    },
    listPreviousQueues: () => findPreviousQueues(getShared()),
    async check() {
      const client = new ErrorHandlingClient({ ...sessionConfig(databaseUrl), connectionTimeoutMillis: 2_000 });
      await client.connect();
      await client.end();
    },
    // The queues' tables are in the same database as the deliveries, so jobs are lost only together with the deliveries.
    hasLostData: () => Promise.resolve(false),
    writeMarker: () => Promise.resolve(),
    close: async () => shared?.end(),
  };
}

const findPrevious = `SELECT name FROM unnest($1::text[]) AS q(name) WHERE EXISTS (SELECT 1 FROM job WHERE queue = q.name)`;

async function findPreviousQueues(pool: pg.Pool): Promise<PreviousQueueName[]> {
  try {
    const { rows } = await pool.query<{ name: PreviousQueueName }>(findPrevious, [previousQueueNames(1)]);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isTableMissing(error)) return [];
    throw error;
  }
}
