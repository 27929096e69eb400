import { types } from 'node:util';
import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { deadClientSettings, handleConnectionErrors, sessionConfig } from '@ringback/runtime';
import { createEagerWorker } from './eager-worker.js';
import { type Backend, queueDefaults } from './backend.js';
import { processFairly } from './fair-queue.js';
import { isIngress } from './names.js';
import { type PreviousQueueName, previousQueueNames } from './previous-queues.js';
import { createPostgresFairQueue } from './postgres-fair-queue.js';

const transient = /^(25P03|57014|57P0[123]|08\w{3}|53300|40P01|40001|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const transientWords =
  /connection terminated|timeout exceeded when trying to connect|connection ended|query read timeout/i;

/**
 * BullMQ tries again only after ECONNREFUSED: any other passing trouble would turn a finished job into a failed
 * attempt. So every passing trouble gets that code, and its own in `cause`.
 */
function asRetryable(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (!transient.test(code) && !transientWords.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}

/**
 * A connection whose breaking is heard. That of one which breaks between two statements of a transaction, or just as it
 * was made to listen, would end the process.
 */
class HeardClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

/**
 * BullMQ's PostgreSQL backend, made to survive an outage: passing troubles are tried again, and a first connection
 * that failed is forgotten, where BullMQ remembers it for ever. Touches private members of BullMQ, whose version is
 * pinned for that; backend.test.ts restarts the server under it.
 */
const createResilientBackend: typeof createPostgresBackend = (name, options, more) => {
  const backend = createPostgresBackend(name, options, more);
  const { connection } = backend;
  const query = connection.pool.query.bind(connection.pool);
  const wrapped = (...words: Parameters<typeof query>) =>
    query(...words).catch((error: unknown) => Promise.reject(asRetryable(error)));
  Reflect.set(connection.pool, 'query', wrapped);
  handleConnectionErrors(connection.pool);
  Reflect.set(connection, 'pgModule', { Client: HeardClient });
  forgetFailure(connection);
  forgetFailure(backend);
  return backend;
};

function forgetFailure(owner: { waitUntilReady(): Promise<void> }): void {
  const wait = owner.waitUntilReady.bind(owner);
  owner.waitUntilReady = () =>
    wait().catch((error: unknown) => {
      Reflect.set(owner, 'readyPromise', undefined);
      throw asRetryable(error);
    });
}

const { Queue, Worker } = withBackend(createResilientBackend);

/** BullMQ makes two temporary tables for each bulk, however small, which takes ten times as long as to add one job. */
function addOneByItself(queue: InstanceType<typeof Queue>): void {
  const addBulk = queue.addBulk.bind(queue);
  queue.addBulk = async (jobs) => {
    const [job, ...others] = jobs;
    return job && others.length === 0 ? [await queue.add(job.name, job.data, job.opts)] : addBulk(jobs);
  };
}

const { keepalives, ...timeouts } = deadClientSettings;
// On stale statistics the claim is planned with a sort over everything that waits: 20 times slower.
const settings = { enable_sort: 'off', ...timeouts, ...keepalives };

const findPrevious = `SELECT name FROM unnest($1::text[]) AS q(name) WHERE EXISTS (SELECT 1 FROM job WHERE queue = q.name)`;
/** No queue has been opened yet, so there are no tables. */
const isUnused = (error: unknown) => types.isNativeError(error) && 'code' in error && error.code === '42P01';

/** BullMQ on PostgreSQL: everything in a schema of its own, in the same database as the ledger. */
export function openPostgresBackend({ databaseUrl, schema }: { databaseUrl: string; schema: string }): Backend {
  const reaching = ({ max, queryTimeoutMs }: { max: number; queryTimeoutMs: number }) => ({
    ...sessionConfig(databaseUrl, { ...settings, search_path: `"${schema}"`, statement_timeout: queryTimeoutMs }),
    max,
    connectionTimeoutMillis: 2_000,
    // A connection that the network forgot stays open and mute: it is given up, by the server too, with what it held.
    query_timeout: queryTimeoutMs + 500,
    keepAlive: true,
    application_name: 'ringback-queue',
  });
  const connection = (bounds: Parameters<typeof reaching>[0]) => ({ ...reaching(bounds), schema, migrate: true });
  let shared: pg.Pool | undefined;
  const openShared = () => {
    const pool = new pg.Pool(reaching({ max: 1, queryTimeoutMs: 2_000 }));
    handleConnectionErrors(pool);
    return pool.on('error', () => undefined);
  };
  return {
    engine: 'postgres',
    openQueue(name, onError) {
      const queue = new Queue(name, { connection: connection({ max: 2, queryTimeoutMs: 5_000 }), ...queueDefaults });
      queue.on('error', onError);
      addOneByItself(queue);
      return queue;
    },
    openWorker(name, process, settings, onError) {
      const createFairQueue = () => createPostgresFairQueue(() => (shared ??= openShared()), name);
      const act = isIngress(name) ? processFairly(createFairQueue(), process, onError) : process;
      const worker = createEagerWorker(Worker, name, act, {
        ...settings,
        connection: connection({ max: 8, queryTimeoutMs: 10_000 }),
      });
      worker.on('error', onError);
      return worker;
    },
    async previousQueues() {
      try {
        const names = [previousQueueNames(1)];
        const { rows } = await (shared ??= openShared()).query<{ name: PreviousQueueName }>(findPrevious, names);
        return rows.map(({ name }) => name);
      } catch (error) {
        if (isUnused(error)) return [];
        throw error;
      }
    },
    async check() {
      const client = new HeardClient({ ...sessionConfig(databaseUrl), connectionTimeoutMillis: 2_000 });
      await client.connect();
      await client.end();
    },
    // Its tables live and die with the ledger.
    isMarkerMissing: () => Promise.resolve(false),
    writeMarker: () => Promise.resolve(),
    close: async () => shared?.end(),
  };
}
