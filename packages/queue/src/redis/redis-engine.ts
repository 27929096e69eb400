import { createRedisBackend, withBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { type QueueEngine, type QueueHandle, queueDefaults, type WorkerHandle } from '../queue-engine.js';
import { countInRedis } from './redis-request-counter.js';
import { isEventQueue } from '../queue-names.js';
import { clusterPrefix, previousQueueNames } from '../previous-queues.js';
import { checkRedis } from './check-redis.js';
import { createEventWorker, type RedisWorkerOptions } from './event-worker.js';
import { whenReady, withRedisTimeout } from './redis-client.js';
import { createRedisConnections } from './redis-connections.js';
import { parseRedisUrl } from './redis-url.js';

const { Queue, Worker } = withBackend(createRedisBackend);

const defaultTimeoutMs = 1_000;
/** Connecting may take a little longer than a command. */
const connectTimeoutOf = (timeoutMs: number) => timeoutMs + 500;

/** BullMQ's keys of a queue that hold jobs which are not finished. */
const unfinishedKeys = ['wait', 'paused', 'active', 'delayed', 'prioritized'];

export type RedisSettings = {
  redisUrl: string;
  prefix: string;
  /** How long a command waits for Redis, 1 s by default. A worker's connection has no such timeout. */
  redisTimeoutMs?: number | undefined;
};

/**
 * Opens BullMQ on Redis, Sentinel or Cluster. In a cluster the prefixes have hash tags, so all keys of a queue are in
 * one slot.
 */
export function openRedisEngine({ redisUrl, prefix, redisTimeoutMs = defaultTimeoutMs }: RedisSettings): QueueEngine {
  const isCluster = parseRedisUrl(redisUrl).cluster !== undefined;
  const prefixOf = (name: string) => (isCluster ? clusterPrefix(prefix, name) : prefix);
  const markerKey = `${prefixOf('')}:mark`;
  const connections = createRedisConnections(redisUrl, redisTimeoutMs);
  const { getProducer } = connections;
  const connectTimeoutMs = connectTimeoutOf(redisTimeoutMs);
  const getReadyProducer = (onError?: (error: Error) => void) => whenReady(getProducer(onError), connectTimeoutMs);
  return {
    kind: 'redis',
    openQueue(queueName, onError) {
      const client = getProducer(onError);
      return createRecoveringHandle(queueName, client, redisTimeoutMs, () => {
        const queue = new Queue(queueName, { connection: client, prefix: prefixOf(queueName), ...queueDefaults });
        queue.on('error', onError);
        return queue;
      });
    },
    openWorker(queueName, processJob, settings, onError) {
      const connection = connections.openConsumer(onError);
      const options = { processJob, settings: { ...settings, connection, prefix: prefixOf(queueName) }, onError };
      const worker = isEventQueue(queueName) ? createEventWorker(queueName, options) : createWorker(queueName, options);
      // BullMQ leaves a client open that it did not create.
      const close = (force?: boolean) => worker.close(force).finally(() => connections.close(connection));
      return { name: queueName, close };
    },
    async listPreviousQueues() {
      const client = await getReadyProducer();
      const names = previousQueueNames();
      const keysOf = (name: string) => unfinishedKeys.map((key) => `${prefixOf(name)}:${name}:${key}`);
      const keyCounts = await Promise.all(names.map((name) => client.exists(...keysOf(name))));
      return names.filter((_, index) => (keyCounts[index] ?? 0) > 0);
    },
    createRequestCounter: (windowMs, onError) => async (key) =>
      countInRedis(await getReadyProducer(onError), `${prefix}:hits:${key}`, windowMs),
    check: () => checkRedis(redisUrl, connectTimeoutMs),
    isMarkerMissing: async () => (await (await getReadyProducer()).get(markerKey)) === null,
    writeMarker: async () => void (await (await getReadyProducer()).set(markerKey, 1)),
    close: async () => connections.closeAll(),
  };
}

function createWorker(name: string, { processJob, settings, onError }: RedisWorkerOptions): WorkerHandle {
  const worker = createStartOnFetchWorker(Worker, name, processJob, settings);
  worker.on('error', onError);
  return worker;
}

/**
 * Returns a handle of a BullMQ queue, which is created at the first call for which Redis responds, and created again if
 * its start fails. BullMQ's own Queue waits for Redis without a timeout, and never recovers from a failed start.
 */
function createRecoveringHandle<Q extends QueueHandle & { waitUntilReady(): Promise<unknown> }>(
  name: string,
  client: Redis | Cluster,
  timeoutMs: number,
  create: () => Q,
): QueueHandle {
  let current: Q | undefined;
  let hasSucceeded = false;
  // A little longer than a command's timeout, so that a slow command fails with its own error.
  const replyTimeoutMs = timeoutMs + 100;
  const connectTimeoutMs = connectTimeoutOf(timeoutMs);
  // After the first success, connecting and the command share one timeout.
  const run = async <T>(command: (queue: Q) => Promise<T>) => {
    const reply = await (hasSucceeded ? withRedisTimeout(openAndRun(command), replyTimeoutMs) : openAndRun(command));
    hasSucceeded = true;
    return reply;
  };
  const openAndRun = async <T>(command: (queue: Q) => Promise<T>) => {
    await whenReady(client, connectTimeoutMs);
    const queue = (current ??= create());
    try {
      await withRedisTimeout(queue.waitUntilReady(), connectTimeoutMs);
    } catch (error) {
      if (current === queue) current = undefined;
      void queue.close().catch(() => undefined);
      throw error;
    }
    return command(queue);
  };
  return {
    name,
    add: (...args) => run((queue) => queue.add(...args)),
    addBulk: (...args) => run((queue) => queue.addBulk(...args)),
    getJobCounts: (...states) => run((queue) => queue.getJobCounts(...states.filter((state) => state !== 'paused'))),
    getRanges: (...args) => run((queue) => queue.getRanges(...args)),
    isPaused: () => run((queue) => queue.isPaused()),
    getGlobalConcurrency: () => run((queue) => queue.getGlobalConcurrency()),
    getGlobalRateLimit: () => run((queue) => queue.getGlobalRateLimit()),
    getJob: (id) => run((queue) => queue.getJob(id)),
    remove: (id) => run((queue) => queue.remove(id)),
    pause: () => run((queue) => queue.pause()),
    resume: () => run((queue) => queue.resume()),
    drain: (delayed) => run((queue) => queue.drain(delayed)),
    close: async () => current?.close(),
  };
}
