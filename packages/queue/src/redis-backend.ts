import { once } from 'node:events';
import { createRedisBackend, withBackend } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { type Backend, queueDefaults } from './backend.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';

const { Queue, Worker } = withBackend(createRedisBackend);

const retryStrategy = (times: number) => Math.min(times * 100, 1_000);
/** After a failover the socket to the demoted primary stays: leave it and send the command again. */
const reconnectOnError = (error: Error) => (error.message.startsWith('READONLY') ? 2 : false);

/** A producer gets an error within about a second instead of waiting for a server that is away. */
const producing: ConnectOptions = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000 };
const consuming: ConnectOptions = { maxRetriesPerRequest: null };

function connect(url: string, kind: ConnectOptions): Redis | Cluster {
  const target = parseRedisUrl(url);
  const options = { ...target.options, ...kind, retryStrategy, reconnectOnError };
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
      const queue = new Queue(queueName, { connection: produce(onError), prefix, ...queueDefaults });
      queue.on('error', onError);
      return queue;
    },
    openWorker(queueName, process, settings, onError) {
      const worker = new Worker(queueName, process, { ...settings, connection: open(consuming, onError), prefix });
      worker.on('error', onError);
      return worker;
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

/** A client that does not queue commands refuses them until it is connected. */
async function whenReady(client: Redis | Cluster): Promise<Redis | Cluster> {
  if (client.status !== 'ready') await once(client, 'ready', { signal: AbortSignal.timeout(1_000) });
  return client;
}

async function checkServer(url: string): Promise<void> {
  let trouble: Error | undefined;
  const client = connect(url, { maxRetriesPerRequest: 1, commandTimeout: 2_000, connectTimeout: 2_000 });
  client.on('error', (error) => (trouble = error));
  try {
    const memory = await client.info('memory');
    const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction') throw new Error(`its maxmemory-policy is ${policy}, which loses jobs; set noeviction`);
  } catch (error) {
    throw trouble ?? error;
  } finally {
    client.disconnect();
  }
}
