import { once } from 'node:events';
import { Cluster, Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import { withReplyTimeout } from '../engine.js';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';

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
      if (!message.startsWith('READONLY')) return false;
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
export const producerOptions = (timeoutMs: number): ConnectOptions => ({
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

/**
 * Holds what the client writes to its sockets until the end of this turn of the event loop, and then writes it
 * together, because a system call costs more than a command. ioredis's automatic pipelines would create an object with
 * several hundred properties for each pipeline, which costs more than it saves when commands come one by one.
 */
export function writeTogether(client: Redis | Cluster): void {
  if (client instanceof Cluster) return client.nodes('master').forEach(writeTogether);
  const { stream } = client;
  if (!stream?.writable || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

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
export async function whenReady(client: Redis | Cluster, timeoutMs: number): Promise<Redis | Cluster> {
  if (client.status === 'ready') return client;
  // All calls share one wait, because each wait adds a listener to the client.
  const wait = readyWaits.get(client) ?? once(client, 'ready').finally(() => readyWaits.delete(client));
  readyWaits.set(client, wait);
  await withReplyTimeout(wait, timeoutMs);
  return client;
}
