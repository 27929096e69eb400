import { once } from 'node:events';
import { within } from '@ringback/runtime';
import { createRedisBackend, withBackend } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { type Backend, type QueueHandle, queueDefaults } from './backend.js';
import { countInRedis } from './hits.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';
import { UnfitEngineError } from './unfit-engine.js';

const { Queue, Worker } = withBackend(createRedisBackend);

const retryStrategy = (times: number) => Math.min(times * 100, 1_000);
const readOnlyWaitMs = 2_000;
const readOnlyMemoryMs = 10_000;

/**
 * After a failover the socket to the demoted primary stays: leave it and send the command again. Where there is still
 * no primary, connecting succeeds and the command is refused again, so that this needs a pace of its own.
 */
function leaveReadOnly(): Pick<ConnectOptions, 'reconnectOnError' | 'retryStrategy'> {
  let [refusedAt, leftAt] = [-Infinity, -Infinity];
  return {
    reconnectOnError({ message }) {
      if (!message.startsWith('READONLY')) return false;
      refusedAt = performance.now();
      return 2;
    },
    retryStrategy(times) {
      const now = performance.now();
      if (now - refusedAt > 1_000) return retryStrategy(times);
      const isAgain = now - leftAt < readOnlyMemoryMs;
      leftAt = now;
      return isAgain ? readOnlyWaitMs : retryStrategy(times);
    },
  };
}

/** A producer gets an error within about a second instead of waiting for a server that is away. */
const producing: ConnectOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 1_000,
  // A connection that the network forgot stays open and mute: it is given up.
  socketTimeout: 3_000,
};
/** BullMQ waits for a job for 10 s at most, in one command. */
const consuming: ConnectOptions = { maxRetriesPerRequest: null, socketTimeout: 15_000 };

function connect(url: string, kind: ConnectOptions): Redis | Cluster {
  const target = parseRedisUrl(url);
  const options = { ...target.options, ...kind, ...leaveReadOnly() };
  if (target.cluster === undefined) return new Redis(options);
  const { enableOfflineQueue = true } = kind;
  return new Cluster(target.cluster, {
    redisOptions: options,
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
  });
}

/** BullMQ on Redis, Sentinel or Cluster. In a cluster the prefix is hash-tagged, so that a queue stays in one slot. */
export function openRedisBackend({ redisUrl, prefix: name }: { redisUrl: string; prefix: string }): Backend {
  const prefix = parseRedisUrl(redisUrl).cluster === undefined ? name : `{${name}}`;
  const opened: (Redis | Cluster)[] = [];
  const open = (kind: ConnectOptions, onError: (error: Error) => void) => {
    const client = connect(redisUrl, kind);
    client.on('error', onError);
    opened.push(client);
    return client;
  };
  let producer: Redis | Cluster | undefined;
  const produce = (onError: (error: Error) => void) => (producer ??= open(producing, onError));
  const mark = `${prefix}:mark`;
  const ignore = () => {};
  return {
    engine: 'redis',
    openQueue(queueName, onError) {
      const client = produce(onError);
      return openPatiently(queueName, client, () => {
        const queue = new Queue(queueName, { connection: client, prefix, ...queueDefaults });
        queue.on('error', onError);
        return queue;
      });
    },
    openWorker(queueName, process, settings, onError) {
      const worker = new Worker(queueName, process, { ...settings, connection: open(consuming, onError), prefix });
      worker.on('error', onError);
      return worker;
    },
    openHitCounter(windowMs, onError) {
      let connecting: Promise<unknown> | undefined;
      return async (key) => {
        const client = produce(onError);
        const listen = () => once(client, 'ready').finally(() => (connecting = undefined));
        if (client.status !== 'ready') await soon((connecting ??= listen()));
        return countInRedis(client, `${prefix}:hits:${key}`, windowMs);
      };
    },
    check: () => checkServer(redisUrl),
    lostMark: async () => (await (await whenReady(produce(ignore))).exists(mark)) === 0,
    async keepMark() {
      await (await whenReady(produce(ignore))).set(mark, new Date().toISOString());
    },
    async close() {
      for (const client of opened) client.disconnect();
    },
  };
}

const soonMs = 1_500;

/** A client that does not queue commands refuses them until it is connected. */
async function whenReady(client: Redis | Cluster): Promise<Redis | Cluster> {
  if (client.status !== 'ready') await soon(once(client, 'ready'));
  return client;
}

/**
 * A queue that is made once Redis answers, and made again when its first words with Redis failed: BullMQ's would wait
 * for ever for the one and never recover from the other.
 */
function openPatiently<Q extends QueueHandle & { waitUntilReady(): Promise<unknown> }>(
  name: string,
  client: Redis | Cluster,
  make: () => Q,
): QueueHandle {
  let connecting: Promise<unknown> | undefined;
  // One wait for all calls, since each wait listens to the client.
  const listen = () => once(client, 'ready').finally(() => (connecting = undefined));
  let made: Q | undefined;
  const use = async <T>(act: (queue: Q) => Promise<T>) => {
    if (client.status !== 'ready') await soon((connecting ??= listen()));
    const queue = (made ??= make());
    try {
      await soon(queue.waitUntilReady());
    } catch (error) {
      if (made === queue) made = undefined;
      void queue.close().catch(() => undefined);
      throw error;
    }
    return act(queue);
  };
  return {
    name,
    add: (...words) => use((queue) => queue.add(...words)),
    addBulk: (...words) => use((queue) => queue.addBulk(...words)),
    getJobCounts: (...words) => use((queue) => queue.getJobCounts(...words)),
    getRanges: (...words) => use((queue) => queue.getRanges(...words)),
    isPaused: () => use((queue) => queue.isPaused()),
    getJob: (id) => use((queue) => queue.getJob(id)),
    pause: () => use((queue) => queue.pause()),
    resume: () => use((queue) => queue.resume()),
    close: async () => made?.close(),
  };
}

/** What the promise comes to, or an error that says that Redis is away. */
function soon<T>(promise: Promise<T>): Promise<T> {
  return within(soonMs, promise, () => {
    throw Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' });
  });
}

async function checkServer(url: string): Promise<void> {
  let trouble: Error | undefined;
  const client = connect(url, { maxRetriesPerRequest: 1, connectTimeout: 1_000 });
  client.on('error', (error) => (trouble = error));
  try {
    const memory = await soon(client.info('memory'));
    const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction';
    if (policy === 'noeviction') return;
    throw new UnfitEngineError(
      `REDIS_URL names a Redis whose maxmemory-policy is ${policy}, which loses jobs; set it to noeviction`,
    );
  } catch (error) {
    throw error instanceof UnfitEngineError ? error : (trouble ?? error);
  } finally {
    client.disconnect();
  }
}
