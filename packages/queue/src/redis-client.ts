import { once } from 'node:events';
import { withTimeout } from '@ringback/runtime';
import { Cluster, Redis } from 'ioredis';
import { type ConnectOptions, parseRedisUrl } from './redis-url.js';
import { LastingSentinelConnector } from './sentinel-connector.js';

const retryStrategy = (times: number) => Math.min(times * 100, 1_000);
const readOnlyWaitMs = 2_000;
const readOnlyMemoryMs = 10_000;

/**
 * After a failover the connection to the demoted primary stays open: the client reconnects and sends the command again. As
 * long as there is no primary, connecting succeeds and the command is refused again, so this has its own delay.
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
  // A connection that the network dropped silently is closed after this time.
  socketTimeout: 3_000,
};
/** For workers: BullMQ waits at most 10 s for a job, in one command. */
export const consuming: ConnectOptions = {
  maxRetriesPerRequest: null,
  socketTimeout: 15_000,
};

/**
 * Writes the commands of one turn of the event loop to the socket together, because a system call costs more than a command.
 * ioredis's automatic pipelines create an object with several hundred properties for each pipeline, which costs more than
 * it saves when commands come one by one.
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

/** A client for one Redis, for the primary that sentinels name, or for a cluster. */
export function connect(url: string, kind: ConnectOptions): Redis | Cluster {
  const target = parseRedisUrl(url);
  // Sentinels report a failover, so that the client also leaves a primary that hangs.
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
  // All calls share one wait, because each wait adds a listener to the client.
  const wait = connecting.get(client) ?? once(client, 'ready').finally(() => connecting.delete(client));
  connecting.set(client, wait);
  await soon(wait);
  return client;
}

/** The result of the promise, or an error that says that Redis is away. */
export function soon<T>(promise: Promise<T>, withinMs = connectedMs): Promise<T> {
  return withTimeout(withinMs, promise, () => {
    throw Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' });
  });
}
