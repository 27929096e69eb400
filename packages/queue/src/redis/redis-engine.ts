import { once } from 'node:events';
import net, { isIP } from 'node:net';
import tls from 'node:tls';
import { Cluster, Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import {
  type CountRequest,
  isReadOnlyRefusal,
  type OnError,
  type QueueEngine,
  type QueueHandle,
  queueDefaults,
  RecoveringQueue,
  type RequestCount,
  withReplyTimeout,
} from '../engine.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';
import { createRedisBackend, withBackend } from 'bullmq';
import { keepDataText, JobConnection, type WorkerSettings } from '../job-connection.js';

const reconnectDelayMs = (attempts: number) => Math.min(attempts * 100, 1_000);
// A refusal counts as repeated within this time after the previous reconnect because of a refusal.
const repeatedRefusalWindowMs = 10_000;
const repeatedRefusalDelayMs = 2_000;

/**
 * After a failover, a demoted primary keeps its connections open and refuses writes. With these options a client
 * reconnects and sends the refused command again. Repeated reconnects wait longer, because until there is a new primary
 * the command is refused each time.
 */
function leaveDemotedPrimary(): Pick<ConnectOptions, 'reconnectOnError' | 'retryStrategy'> {
  let refusedAtMonotonicMs = -Infinity;
  let reconnectedAtMonotonicMs = -Infinity;
  return {
    reconnectOnError({ message }) {
      if (!isReadOnlyRefusal(message)) return false;
      refusedAtMonotonicMs = performance.now();
      // 2: reconnect, then send the command again.
      return 2;
    },
    retryStrategy(attempts) {
      const now = performance.now();
      if (now - refusedAtMonotonicMs > 1_000) return reconnectDelayMs(attempts);
      const isRepeated = now - reconnectedAtMonotonicMs < repeatedRefusalWindowMs;
      reconnectedAtMonotonicMs = now;
      return isRepeated ? repeatedRefusalDelayMs : reconnectDelayMs(attempts);
    },
  };
}

/**
 * For producers: a command fails within `timeoutMs` (without a connection, at once) instead of waiting for a server.
 */
const producerOptions = (timeoutMs: number): ConnectOptions => ({
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: timeoutMs,
  // Closes a connection that the network dropped silently.
  socketTimeout: 3 * timeoutMs,
});

/** For workers: commands wait for an unavailable server. One of BullMQ's commands waits up to 10 s for a job. */
export const consumerOptions: ConnectOptions = {
  maxRetriesPerRequest: null,
  socketTimeout: 15_000,
};

type Connect = SentinelConnector['connect'];

/**
 * Works around a defect of ioredis's connector: the failover listener of a closed connection aborts the next connection
 * attempt, and the client then never connects again. This connector ends the old one before it connects; each new
 * connection adds its own.
 */
class ReconnectingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...args: Parameters<Connect>): ReturnType<Connect> {
    this.disconnect();
    return super.connect(...args);
  }
}

/** Connects to a Redis server, to the primary that sentinels name, or to a cluster. */
export function connect(url: string, options: ConnectOptions): Redis | Cluster {
  const target = parseRedisUrl(url);
  // With `failoverDetector`, sentinels report a failover, so the client also leaves a primary that hangs.
  const allOptions = { ...target.options, ...options, ...leaveDemotedPrimary(), failoverDetector: true };
  if (target.options.sentinels) return new Redis({ ...allOptions, Connector: ReconnectingSentinelConnector });
  if (target.cluster === undefined) return new Redis(allOptions);
  const { enableOfflineQueue = true } = options;
  return new Cluster(target.cluster, {
    redisOptions: allOptions,
    enableOfflineQueue,
    clusterRetryStrategy: reconnectDelayMs,
  });
}

const readyWaits = new WeakMap<Redis | Cluster, Promise<unknown>>();

/**
 * Resolves with the client when it is connected. Rejects at the next error of the client, or after `timeoutMs`. A
 * client without an offline queue rejects commands while it is not connected.
 */
async function whenReady(client: Redis | Cluster, timeoutMs: number): Promise<Redis | Cluster> {
  if (client.status === 'ready') return client;
  // All calls share one wait, because each wait adds a listener to the client.
  const wait = readyWaits.get(client) ?? once(client, 'ready').finally(() => readyWaits.delete(client));
  readyWaits.set(client, wait);
  await withReplyTimeout(wait, timeoutMs);
  return client;
}

/** Redis responds but may evict jobs. The message names the environment variable and says what to change. */
export class UnsafeEvictionPolicyError extends Error {
  override readonly name = 'UnsafeEvictionPolicyError';
}

export const isUnsafeEvictionPolicy = (error: unknown): error is UnsafeEvictionPolicyError =>
  error instanceof UnsafeEvictionPolicyError;

/**
 * Resolves if Redis, or each primary of a cluster, responds and never evicts keys. Otherwise throws an Error that says
 * why. Connecting, asking and finding the error may each take `timeoutMs`.
 */
async function checkRedis(url: string, timeoutMs: number): Promise<void> {
  let connectionError: Error | undefined;
  const client = connect(url, { maxRetriesPerRequest: 1, connectTimeout: 1_000 });
  client.on('error', (error) => (connectionError = error));
  try {
    if (client instanceof Cluster) await whenReady(client, timeoutMs);
    const servers = client instanceof Cluster ? client.nodes('master') : [client];
    const memories = await withReplyTimeout(Promise.all(servers.map((server) => server.info('memory'))), timeoutMs);
    const policies = memories.map((memory) => /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction');
    const evictionPolicy = policies.find((name) => name !== 'noeviction');
    if (evictionPolicy === undefined) return;
    throw new UnsafeEvictionPolicyError(
      `REDIS_URL names a Redis whose maxmemory-policy is ${evictionPolicy}, which loses jobs; set it to noeviction`,
    );
  } catch (error) {
    throw error instanceof UnsafeEvictionPolicyError
      ? error
      : ((await findConnectError(url, timeoutMs)) ?? connectionError ?? error);
  } finally {
    client.disconnect();
  }
}

/**
 * Connects to the first sentinel, or to the first node of a cluster. Returns the error of connecting, which ioredis
 * does not report. Returns undefined if there is no error, or if the URL names a single server.
 */
async function findConnectError(url: string, timeoutMs: number): Promise<unknown> {
  const { options, cluster } = parseRedisUrl(url);
  const [server] = cluster ?? options.sentinels ?? [];
  if (!server?.host) return undefined;
  const { host, port = 0 } = server;
  const servername = isIP(host) ? {} : { servername: host };
  const socket = options.tls ? tls.connect({ host, port, ...servername }) : net.connect({ host, port });
  try {
    await withReplyTimeout(once(socket, options.tls ? 'secureConnect' : 'connect'), timeoutMs);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    socket.destroy();
  }
}

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
 * BullMQ on Redis, Sentinel or Cluster. In a cluster the prefix is a hash tag, so all keys of all queues are in one
 * slot.
 */
export class RedisEngine implements QueueEngine {
  readonly kind = 'redis';
  readonly #redisUrl: string;
  readonly #prefix: string;
  readonly #keyPrefix: string;
  readonly #timeoutMs: number;
  /** Connecting may take a little longer than a command. */
  readonly #connectTimeoutMs: number;
  readonly #clients = new Set<Redis | Cluster>();
  #producer: Redis | Cluster | undefined;

  constructor({ redisUrl, prefix, redisTimeoutMs = defaultTimeoutMs }: RedisSettings) {
    this.#redisUrl = redisUrl;
    this.#prefix = prefix;
    this.#keyPrefix = parseRedisUrl(redisUrl).cluster === undefined ? prefix : `{${prefix}}`;
    this.#timeoutMs = redisTimeoutMs;
    this.#connectTimeoutMs = redisTimeoutMs + 500;
  }

  openQueue(name: string, onError: OnError): QueueHandle {
    const connection = this.#producerFor(onError);
    return new RecoveringQueue(name, {
      create: () => new Queue(name, { connection, prefix: this.#keyPrefix, ...queueDefaults }).on('error', onError),
      connect: () => whenReady(connection, this.#connectTimeoutMs),
      readData: async (queue, ids) =>
        (await Promise.all(ids.map((id) => connection.hget(queue.toKey(id), 'data')))).map((text) => text ?? ''),
      // Redis counts the jobs of a paused queue as waiting.
      hasPausedState: false,
      readyTimeoutMs: this.#connectTimeoutMs,
      // A little longer than a command's timeout, so that a slow command fails with its own error.
      replyTimeoutMs: this.#timeoutMs + 100,
    });
  }

  openJobConnection(name: string, settings: Required<WorkerSettings>, onError: OnError): JobConnection {
    const client = this.#openClient(consumerOptions).on('error', onError);
    client.once('end', () => this.#clients.delete(client));
    const worker = new Worker<string>(name, null, { connection: client, prefix: this.#keyPrefix, ...settings });
    return new JobConnection(worker.on('error', onError), settings, client);
  }

  createRequestCounter(windowMs: number, onError: OnError): CountRequest {
    return async (key) => countInRedis(await this.#connected(onError), `${this.#prefix}:hits:${key}`, windowMs);
  }

  check(): Promise<void> {
    return checkRedis(this.#redisUrl, this.#connectTimeoutMs);
  }

  async isMarkerMissing(): Promise<boolean> {
    return (await (await this.#connected()).get(this.#markerKey)) === null;
  }

  async writeMarker(): Promise<void> {
    await (await this.#connected()).set(this.#markerKey, 1);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
  }

  get #markerKey(): string {
    return `${this.#keyPrefix}:mark`;
  }

  #openClient(options: ConnectOptions): Redis | Cluster {
    const client = connect(this.#redisUrl, options);
    // Each queue and each worker adds listeners, so there is no limit.
    client.setMaxListeners(0);
    this.#clients.add(client);
    return client;
  }

  /** The client that all producers share. Each function `onError` is registered once, and gets the client's errors. */
  #producerFor(onError: OnError = ignore): Redis | Cluster {
    const producer = (this.#producer ??= this.#openClient(producerOptions(this.#timeoutMs)));
    if (!producer.listeners('error').includes(onError)) producer.on('error', onError);
    return producer;
  }

  #connected(onError?: OnError): Promise<Redis | Cluster> {
    return whenReady(this.#producerFor(onError), this.#connectTimeoutMs);
  }
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
