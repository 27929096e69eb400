import {
  type ConnectionOptions,
  createRedisBackend,
  type Processor,
  type RedisQueueBackend,
  withBackend,
} from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { WorkerHandle, WorkerSettings } from './backend.js';
import { createEagerWorker } from './eager-worker.js';
import { guardIngress, startFreeingKeys } from './ingress-guard.js';
import { takeAsPushed } from './ingress-script.js';
import { processFairly } from './fair-queue.js';
import { createRedisFairQueue } from './redis-fair-queue.js';

type Opening = {
  process: Processor;
  settings: WorkerSettings & { connection: Redis | Cluster; prefix: string };
  onError: (error: Error) => void;
};

/** The worker of an ingress queue in Redis: in rounds, and whatever producers wrote. */
export function createIngressWorker(name: string, { process, settings, onError }: Opening): WorkerHandle {
  const { connection: client, prefix } = settings;
  const guarding = { client, keys: `${prefix}:${name}:`, onError };
  takeAsPushed(client);
  const { Worker } = withBackend<RedisQueueBackend, ConnectionOptions>((...words) => {
    const backend = createRedisBackend(...words);
    guardIngress(backend, guarding);
    return backend;
  });
  const act = processFairly(createRedisFairQueue(client, `${prefix}:${name}`), process, onError);
  const worker = createEagerWorker(Worker, name, act, settings);
  worker.on('error', onError);
  const stop = startFreeingKeys(guarding);
  return {
    name,
    close(force) {
      stop();
      return worker.close(force);
    },
  };
}
