import { types } from 'node:util';
import { withBackend } from 'bullmq';
import pg from 'pg';
import { SessionClient, sessionConfig } from '@ringback/process';
import { createResilientBackend } from '../bullmq-patches/resilient-postgres-backend.js';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { type QueueEngine, queueDefaults } from '../queue-engine.js';
import { withFairOrder } from '../event-queue/fair-queue.js';
import { isEventQueue } from '../queue-names.js';
import { type PreviousQueueName, previousQueueNames } from '../previous-queues.js';
import { createPostgresFairQueue } from './postgres-fair-queue.js';

const { Queue, Worker } = withBackend(createResilientBackend);

/**
 * Makes a queue add a batch of one job as a single job. This takes a tenth of the time, because BullMQ creates two
 * temporary tables for each batch.
 */
function addSingleJobsDirectly(queue: InstanceType<typeof Queue>): void {
  const addBulk = queue.addBulk.bind(queue);
  queue.addBulk = async (jobs) => {
    const [job, ...others] = jobs;
    return job && others.length === 0 ? [await queue.add(job.name, job.data, job.opts)] : addBulk(jobs);
  };
}

// Without `enable_sort = off`, outdated statistics can make PostgreSQL sort all waiting jobs for each fetch, which then
// takes 20 times as long.
const queueSettings = { enable_sort: 'off' };

/** Whether a statement failed because BullMQ's tables do not exist yet: BullMQ creates them when it opens a queue. */
const isTableMissing = (error: unknown) => types.isNativeError(error) && 'code' in error && error.code === '42P01';

type Location = { databaseUrl: string; schema: string };

const poolSettings = ({ databaseUrl, schema }: Location, max: number, queryTimeoutMs: number) => ({
  ...sessionConfig(databaseUrl, schema, { ...queueSettings, statement_timeout: queryTimeoutMs }),
  max,
  connectionTimeoutMillis: 2_000,
  // Closes a connection that the network dropped silently. The server closes it too, which releases its locks.
  query_timeout: queryTimeoutMs + 500,
  application_name: 'ringback-queue',
});

function openPool(location: Location): pg.Pool {
  return new pg.Pool(poolSettings(location, 1, 2_000)).on('error', () => undefined);
}

/** Opens BullMQ on PostgreSQL, in a schema of its own in Ringback's database. */
export function openPostgresEngine(location: Location): QueueEngine {
  const { databaseUrl, schema } = location;
  const connectionOptions = (max: number, queryTimeoutMs: number) => ({
    ...poolSettings(location, max, queryTimeoutMs),
    schema,
    migrate: true,
  });
  let ownPool: pg.Pool | undefined;
  const getOwnPool = () => (ownPool ??= openPool(location));
  return {
    kind: 'postgres',
    openQueue(name, onError) {
      const queue = new Queue(name, { connection: connectionOptions(2, 5_000), ...queueDefaults });
      queue.on('error', onError);
      addSingleJobsDirectly(queue);
      return queue;
    },
    openWorker(name, processJob, settings, onError) {
      const processor = isEventQueue(name)
        ? withFairOrder(createPostgresFairQueue(getOwnPool, name), processJob, onError)
        : processJob;
      const worker = createStartOnFetchWorker(Worker, name, processor, {
        ...settings,
        // No caller waits for a worker's connection, and a machine is busiest while its processes start.
        connection: { ...connectionOptions(8, 10_000), connectionTimeoutMillis: 5_000 },
      });
      worker.on('error', onError);
      return worker;
    },
    listPreviousQueues: () => findPreviousQueues(getOwnPool()),
    async check() {
      const client = new SessionClient({ ...sessionConfig(databaseUrl, schema), connectionTimeoutMillis: 2_000 });
      await client.connect();
      await client.end();
    },
    // The queues are in the same database as the deliveries, so jobs are lost only together with deliveries.
    isMarkerMissing: () => Promise.resolve(false),
    writeMarker: () => Promise.resolve(),
    close: async () => ownPool?.end(),
  };
}

const previousQueuesSql = `SELECT name FROM unnest($1::text[]) AS q(name)
  WHERE EXISTS (SELECT 1 FROM job WHERE queue = q.name)`;

async function findPreviousQueues(pool: pg.Pool): Promise<PreviousQueueName[]> {
  try {
    const { rows } = await pool.query<{ name: PreviousQueueName }>(previousQueuesSql, [previousQueueNames(1)]);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isTableMissing(error)) return [];
    throw error;
  }
}
