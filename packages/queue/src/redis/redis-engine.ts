import { createRedisBackend, withBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { createRecoveringQueue, type OnError, type QueueEngine, queueDefaults, type RequestCount } from '../engine.js';
import { keepDataText, openWorkerConnection, type RawFields } from '../worker-connection.js';
import { checkRedis } from './check-redis.js';
import { connect, consumerOptions, producerOptions, whenReady, writeTogether } from './redis-client.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';

const { Queue } = withBackend(createRedisBackend);
const { Worker } = withBackend(keepDataText(createRedisBackend));

const defaultTimeoutMs = 1_000;

export type RedisSettings = {
  redisUrl: string;
  prefix: string;
  /** How long a command waits for Redis, 1 s by default. A worker's connection has no such timeout. */
  redisTimeoutMs?: number | undefined;
};

/**
 * Opens BullMQ on Redis, Sentinel or Cluster. In a cluster the prefix is a hash tag, so all keys of all queues are in
 * one slot.
 */
export function openRedisEngine({ redisUrl, prefix, redisTimeoutMs = defaultTimeoutMs }: RedisSettings): QueueEngine {
  const isCluster = parseRedisUrl(redisUrl).cluster !== undefined;
  const keyPrefix = isCluster ? `{${prefix}}` : prefix;
  const markerKey = `${keyPrefix}:mark`;
  const clients = new Set<Redis | Cluster>();
  const openClient = (options: ConnectOptions) => {
    const client = connect(redisUrl, options);
    // Each queue and each worker adds listeners, so there is no limit.
    client.setMaxListeners(0);
    clients.add(client);
    return client;
  };
  let producer: Redis | Cluster | undefined;
  /** The client that all producers share. Each function `onError` is registered once, and gets the client's errors. */
  const getProducer = (onError: OnError = ignore) => {
    producer ??= openClient(producerOptions(redisTimeoutMs));
    if (!producer.listeners('error').includes(onError)) producer.on('error', onError);
    return producer;
  };
  // Connecting may take a little longer than a command.
  const connectTimeoutMs = redisTimeoutMs + 500;
  const getReadyProducer = (onError?: OnError) => whenReady(getProducer(onError), connectTimeoutMs);
  return {
    kind: 'redis',
    openQueue(queueName, onError) {
      const connection = getProducer(onError);
      const queue = createRecoveringQueue(queueName, {
        create: () => new Queue(queueName, { connection, prefix: keyPrefix, ...queueDefaults }).on('error', onError),
        connect: () => whenReady(connection, connectTimeoutMs),
        readData: async (queue, ids) =>
          (await Promise.all(ids.map((id) => connection.hget(queue.toKey(id), 'data')))).map((text) => text ?? ''),
        readyTimeoutMs: connectTimeoutMs,
        // A little longer than a command's timeout, so that a slow command fails with its own error.
        replyTimeoutMs: redisTimeoutMs + 100,
      });
      // Redis counts the jobs of a paused queue as waiting.
      const getJobCounts: typeof queue.getJobCounts = (...types) =>
        queue.getJobCounts(...types.filter((type) => type !== 'paused'));
      return { ...queue, getJobCounts };
    },
    openWorker(queueName, settings, onError) {
      const client = openClient(consumerOptions).on('error', onError);
      const rawFields: RawFields = {
        read: (key, field) => client.hgetBuffer(key, field),
        remove: (key, ...fields) => client.hdel(key, ...fields),
      };
      const worker = openWorkerConnection(
        Worker,
        queueName,
        { connection: client, prefix: keyPrefix },
        { settings, onError, rawFields },
      );
      // BullMQ leaves a client open that it did not create.
      const closeClient = () => {
        clients.delete(client);
        client.disconnect();
      };
      return {
        ...worker,
        complete(...args) {
          writeTogether(client);
          return worker.complete(...args);
        },
        close: () => worker.close().finally(closeClient),
      };
    },
    createRequestCounter: (windowMs, onError) => async (key) =>
      countInRedis(await getReadyProducer(onError), `${prefix}:hits:${key}`, windowMs),
    check: () => checkRedis(redisUrl, connectTimeoutMs),
    isMarkerMissing: async () => (await (await getReadyProducer()).get(markerKey)) === null,
    writeMarker: async () => void (await (await getReadyProducer()).set(markerKey, 1)),
    async close() {
      for (const client of clients) client.disconnect();
    },
  };
}

// Without a listener, ioredis would print errors.
const ignore = () => {};

const countScript = `local requests = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {requests, left}`;

/** Counts a request in Redis, atomically, together with those of all other processes. */
async function countInRedis(client: Redis | Cluster, key: string, windowMs: number): Promise<RequestCount> {
  const reply: unknown = await client.eval(countScript, 1, key, windowMs);
  if (!Array.isArray(reply)) throw new Error('The request counter script returned something other than a list');
  const [requests, endsInMs] = reply.map(Number);
  return { requests: requests ?? 0, endsInMs: endsInMs ?? windowMs };
}
