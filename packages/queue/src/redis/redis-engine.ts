import { createRedisBackend, withBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { type QueueEngine, type QueueHandle, queueDefaults, type WorkerHandle } from '../queue-engine.js';
import { countInRedis } from './redis-request-counter.js';
import { isIngress } from '../queue-names.js';
import { clusterPrefix, previousQueueNames } from '../previous-queues.js';
import { checkRedis } from './check-redis.js';
import { createIngressWorker, type RedisWorkerOptions } from './ingress-worker.js';
import { whenReady, withRedisTimeout } from './redis-client.js';
import { createRedisConnections } from './redis-connections.js';
import { parseRedisUrl } from './redis-url.js';

const { Queue, Worker } = withBackend(createRedisBackend);

// A little longer than a command's timeout.
const replyTimeoutMs = 1_100;

/** BullMQ's keys for jobs that are not finished. */
const unfinishedLists = ['wait', 'paused', 'active', 'delayed', 'prioritized'];

export type RedisSettings = { redisUrl: string; prefix: string };

/** BullMQ on Redis, Sentinel or Cluster. In a cluster the prefixes have hash tags, so that a queue stays in one slot. */
export function openRedisEngine({ redisUrl, prefix }: RedisSettings): QueueEngine {
  const isCluster = parseRedisUrl(redisUrl).cluster !== undefined;
  const prefixOf = (name: string) => (isCluster ? clusterPrefix(prefix, name) : prefix);
  const markerKey = `${prefixOf('')}:mark`;
  const connections = createRedisConnections(redisUrl);
  const { getProducer } = connections;
  return {
    kind: 'redis',
    openQueue(queueName, onError) {
      const client = getProducer(onError);
      return createRecoveringQueue(queueName, client, () => {
        const queue = new Queue(queueName, { connection: client, prefix: prefixOf(queueName), ...queueDefaults });
        queue.on('error', onError);
        return queue;
      });
    },
    openWorker(queueName, processJob, settings, onError) {
      const connection = connections.openConsumer(onError);
      const ownSettings = { ...settings, connection, prefix: prefixOf(queueName) };
      const worker = isIngress(queueName)
        ? createIngressWorker(queueName, { processJob: processJob, settings: ownSettings, onError })
        : createWorker(queueName, { processJob: processJob, settings: ownSettings, onError });
      // BullMQ leaves a client open that it did not create.
      const close = (force?: boolean) => worker.close(force).finally(() => connections.close(connection));
      return { name: queueName, close };
    },
    async listPreviousQueues() {
      const client = await whenReady(getProducer());
      const names = previousQueueNames();
      const keysOf = (name: string) => unfinishedLists.map((list) => `${prefixOf(name)}:${name}:${list}`);
      const found = await Promise.all(names.map((name) => client.exists(...keysOf(name))));
      return names.filter((_, index) => (found[index] ?? 0) > 0);
    },
    createRequestCounter: (windowMs, onError) => async (key) =>
      countInRedis(await whenReady(getProducer(onError)), `${prefix}:hits:${key}`, windowMs),
    check: () => checkRedis(redisUrl),
    hasLostData: async () => (await (await whenReady(getProducer())).get(markerKey)) === null,
    writeMarker: async () => void (await (await whenReady(getProducer())).set(markerKey, 1)),
    close: async () => connections.closeAll(),
  };
}

function createWorker(name: string, { processJob, settings, onError }: RedisWorkerOptions): WorkerHandle {
  const worker = createStartOnFetchWorker(Worker, name, processJob, settings);
  worker.on('error', onError);
  return worker;
}

/**
 * A queue that is created once Redis responds, and created again if its start fails. BullMQ's own Queue waits for Redis
 * without a timeout, and never recovers from a failed start.
 */
function createRecoveringQueue<Q extends QueueHandle & { waitUntilReady(): Promise<unknown> }>(
  name: string,
  client: Redis | Cluster,
  create: () => Q,
): QueueHandle {
  let current: Q | undefined;
  let hasWorked = false;
  // After the first success, connecting and the reply share one timeout.
  const use = async <T>(command: (queue: Q) => Promise<T>) => {
    const reply = await (hasWorked ? withRedisTimeout(openAndRun(command), replyTimeoutMs) : openAndRun(command));
    hasWorked = true;
    return reply;
  };
  const openAndRun = async <T>(command: (queue: Q) => Promise<T>) => {
    await whenReady(client);
    const queue = (current ??= create());
    try {
      await withRedisTimeout(queue.waitUntilReady());
    } catch (error) {
      if (current === queue) current = undefined;
      void queue.close().catch(() => undefined);
      throw error;
    }
    return command(queue);
  };
  return {
    name,
    add: (...args) => use((queue) => queue.add(...args)),
    addBulk: (...args) => use((queue) => queue.addBulk(...args)),
    getJobCounts: (...states) => use((queue) => queue.getJobCounts(...states.filter((state) => state !== 'paused'))),
    getRanges: (...args) => use((queue) => queue.getRanges(...args)),
    isPaused: () => use((queue) => queue.isPaused()),
    getGlobalConcurrency: () => use((queue) => queue.getGlobalConcurrency()),
    getGlobalRateLimit: () => use((queue) => queue.getGlobalRateLimit()),
    getJob: (id) => use((queue) => queue.getJob(id)),
    remove: (id) => use((queue) => queue.remove(id)),
    pause: () => use((queue) => queue.pause()),
    resume: () => use((queue) => queue.resume()),
    drain: (delayed) => use((queue) => queue.drain(delayed)),
    close: async () => current?.close(),
  };
}
