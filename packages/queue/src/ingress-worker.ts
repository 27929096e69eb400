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
import { rewriteTakeScripts } from './ingress-script.js';
import { processFairly } from './fair-queue.js';
import { createRedisFairQueue } from './redis-fair-queue.js';

type IngressWorkerOptions = {
  process: Processor;
  settings: WorkerSettings & { connection: Redis | Cluster; prefix: string };
  onError: (error: Error) => void;
};

/** Creates the worker of an ingress queue in Redis. It takes jobs in fair order, and any job that a producer wrote. */
export function createIngressWorker(name: string, { process, settings, onError }: IngressWorkerOptions): WorkerHandle {
  const { connection: client, prefix } = settings;
  const guarding = { client, keyPrefix: `${prefix}:${name}:`, onError };
  rewriteTakeScripts(client);
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
