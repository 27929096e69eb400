import { createRedisBackend, withBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { createEagerWorker } from './eager-worker.js';
import { type Backend, type QueueHandle, queueDefaults } from './backend.js';
import { countInRedis } from './redis-request-counter.js';
import { isIngress } from './names.js';
import { clusterPrefix, previousQueueNames } from './previous-queues.js';
import { checkServer } from './redis-check.js';
import { rewriteListScripts } from './ingress-script.js';
import { createIngressWorker } from './ingress-worker.js';
import { connect, consuming, producing, sendTogether, soon, whenReady } from './redis-client.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';

const { Queue, Worker } = withBackend(createRedisBackend);

// A little longer than the timeout of a command.
const answerTimeoutMs = 1_100;

/** The keys of BullMQ for jobs that are not finished. */
const lists = ['wait', 'paused', 'active', 'delayed', 'prioritized'];

export type RedisSettings = { redisUrl: string; prefix: string };

/** BullMQ on Redis, Sentinel or Cluster. In a cluster prefixes are hash-tagged, so that a queue stays in one slot. */
export function openRedisBackend({ redisUrl, prefix }: RedisSettings): Backend {
  const isCluster = parseRedisUrl(redisUrl).cluster !== undefined;
  const prefixOf = (name: string) => (isCluster ? clusterPrefix(prefix, name) : prefix);
  const mark = `${prefixOf('')}:mark`;
  const opened: (Redis | Cluster)[] = [];
  const open = (kind: ConnectOptions, onError: (error: Error) => void) => {
    const client = connect(redisUrl, kind);
    // Each queue and each worker adds its own listeners.
    client.setMaxListeners(0);
    client.on('error', onError);
    opened.push(client);
    return client;
  };
  let producer: Redis | Cluster | undefined;
  const openProducer = (onError: (error: Error) => void) => {
    const client = open(producing, onError);
    rewriteListScripts(client);
    return client;
  };
  const produce = (onError: (error: Error) => void) => (producer ??= openProducer(onError));
  const ignore = () => {};
  return {
    engine: 'redis',
    openQueue(queueName, onError) {
      const client = produce(onError);
      return createRecoveringQueue(queueName, client, () => {
        const queue = new Queue(queueName, { connection: client, prefix: prefixOf(queueName), ...queueDefaults });
        queue.on('error', onError);
        return queue;
      });
    },
    openWorker(queueName, process, settings, onError) {
      const connection = open(consuming, onError);
      sendTogether(connection);
      const where = { connection, prefix: prefixOf(queueName) };
      if (isIngress(queueName))
        return createIngressWorker(queueName, { process, settings: { ...settings, ...where }, onError });
      const worker = createEagerWorker(Worker, queueName, process, { ...settings, ...where });
      worker.on('error', onError);
      return worker;
    },
    async previousQueues() {
      const client = await whenReady(produce(ignore));
      const names = previousQueueNames();
      const keysOf = (name: string) => lists.map((list) => `${prefixOf(name)}:${name}:${list}`);
      const found = await Promise.all(names.map((name) => client.exists(...keysOf(name))));
      return names.filter((_, index) => (found[index] ?? 0) > 0);
    },
    createRequestCounter: (windowMs, onError) => async (key) =>
      countInRedis(await whenReady(produce(onError)), `${prefix}:hits:${key}`, windowMs),
    check: () => checkServer(redisUrl),
    isMarkerMissing: async () => (await (await whenReady(produce(ignore))).get(mark)) === null,
    writeMarker: async () => void (await (await whenReady(produce(ignore))).set(mark, 1)),
    async close() {
      for (const client of opened) client.disconnect();
    },
  };
}

/**
 * A queue that is created when Redis answers, and created again if its start fails. BullMQ's own Queue waits for ever for
 * Redis, and never recovers from a failed start.
 */
function createRecoveringQueue<Q extends QueueHandle & { waitUntilReady(): Promise<unknown> }>(
  name: string,
  client: Redis | Cluster,
  create: () => Q,
): QueueHandle {
  let current: Q | undefined;
  let hasWorked = false;
  // After the first success, the wait for a connection and the wait for a reply share one timeout.
  const use = async <T>(act: (queue: Q) => Promise<T>) => {
    const answer = await (hasWorked ? soon(open(act), answerTimeoutMs) : open(act));
    hasWorked = true;
    return answer;
  };
  const open = async <T>(act: (queue: Q) => Promise<T>) => {
    await whenReady(client);
    const queue = (current ??= create());
    try {
      await soon(queue.waitUntilReady());
    } catch (error) {
      if (current === queue) current = undefined;
      void queue.close().catch(() => undefined);
      throw error;
    }
    return act(queue);
  };
  return {
    name,
    add: (...words) => use((queue) => queue.add(...words)),
    addBulk: (...words) => use((queue) => queue.addBulk(...words)),
    getJobCounts: (...words) => use((queue) => queue.getJobCounts(...words.filter((word) => word !== 'paused'))),
    getRanges: (...words) => use((queue) => queue.getRanges(...words)),
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
