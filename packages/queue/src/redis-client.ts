import { once } from 'node:events';
import { withTimeout } from '@ringback/runtime';
import { Cluster, Redis } from 'ioredis';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';
import { LastingSentinelConnector } from './sentinel-connector.js';

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
export const producing: ConnectOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 1_000,
  // A connection that the network forgot stays open and mute: it is given up.
  socketTimeout: 3_000,
};
/** BullMQ waits for a job for 10 s at most, in one command. */
export const consuming: ConnectOptions = {
  maxRetriesPerRequest: null,
  socketTimeout: 15_000,
};

/**
 * What a client sends in one turn of the event loop goes out in one write, for a system call costs more than a command:
 * jobs that were taken in together are finished together. ioredis's own automatic pipelines make an object of several
 * hundred properties for each, which costs more than they save where commands come one by one.
 */
export function sendTogether(client: Redis | Cluster): void {
  if (client instanceof Cluster) return void client.on('+node', sendTogether);
  const send = client.sendCommand.bind(client);
  let corked: Redis['stream'] | undefined;
  client.sendCommand = (...words) => {
    if (corked === undefined && client.stream?.writable) {
      corked = client.stream;
      corked.cork();
      setImmediate(() => {
        corked?.uncork();
        corked = undefined;
      });
    }
    return send(...words);
  };
}

/** A client for one Redis, for what sentinels take for the primary, or for a cluster. */
export function connect(url: string, kind: ConnectOptions): Redis | Cluster {
  const target = parseRedisUrl(url);
  // Sentinels tell of a failover, so that a connection to a primary that hangs is left, too.
  const options = { ...target.options, ...kind, ...leaveReadOnly(), failoverDetector: true };
  if (target.options.sentinels) return new Redis({ ...options, Connector: LastingSentinelConnector });
  if (target.cluster === undefined) return new Redis(options);
  const { enableOfflineQueue = true } = kind;
  return new Cluster(target.cluster, {
    redisOptions: options,
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
  });
}

const connectedMs = 1_500;
const connecting = new WeakMap<Redis | Cluster, Promise<unknown>>();

/** A client that does not queue commands refuses them until it is connected. */
export async function whenReady(client: Redis | Cluster): Promise<Redis | Cluster> {
  if (client.status === 'ready') return client;
  // One wait for all calls, since each wait listens to the client.
  const wait = connecting.get(client) ?? once(client, 'ready').finally(() => connecting.delete(client));
  connecting.set(client, wait);
  await soon(wait);
  return client;
}

/** What the promise comes to, or an error that says that Redis is away. */
export function soon<T>(promise: Promise<T>, withinMs = connectedMs): Promise<T> {
  return withTimeout(withinMs, promise, () => {
    throw Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' });
  });
}
