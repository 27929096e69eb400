import type { Cluster, Redis } from 'ioredis';
import { rewriteListScripts } from '../bullmq-patches/fetch-scripts.js';
import { connect, consumerOptions, producerOptions, batchSocketWrites } from './redis-client.js';
import type { ConnectOptions } from './redis-url.js';

type OnError = (error: Error) => void;

export type RedisConnections = {
  /** The client that all producers share. Each function `onError` is registered once, and gets the client's errors. */
  getProducer(onError?: OnError): Redis | Cluster;
  /** Opens a client for one worker. */
  openConsumer(onError: OnError): Redis | Cluster;
  close(client: Redis | Cluster): void;
  closeAll(): void;
};

// Without a listener, ioredis would print errors.
const ignore = () => {};

/**
 * Creates clients for one Redis. A client connects when it is created, and again whenever its connection breaks.
 * `timeoutMs`: how long a producer's command waits.
 */
export function createRedisConnections(redisUrl: string, timeoutMs: number): RedisConnections {
  const clients = new Set<Redis | Cluster>();
  let producer: Redis | Cluster | undefined;
  const open = (options: ConnectOptions) => {
    const client = connect(redisUrl, options);
    // Each queue and each worker adds listeners, so there is no limit.
    client.setMaxListeners(0);
    clients.add(client);
    return client;
  };
  const openProducer = () => {
    const client = open(producerOptions(timeoutMs));
    rewriteListScripts(client);
    return client;
  };
  return {
    getProducer(onError = ignore) {
      producer ??= openProducer();
      if (!producer.listeners('error').includes(onError)) producer.on('error', onError);
      return producer;
    },
    openConsumer(onError) {
      const client = open(consumerOptions).on('error', onError);
      batchSocketWrites(client);
      return client;
    },
    close(client) {
      clients.delete(client);
      client.disconnect();
    },
    closeAll() {
      for (const client of clients) client.disconnect();
    },
  };
}
