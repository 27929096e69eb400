import {
  type ConnectionOptions,
  createRedisBackend,
  type Processor,
  type RedisQueueBackend,
  withBackend,
} from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { WorkerHandle, WorkerSettings } from '../queue-engine.js';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { type IngressFetches, observeFetches } from '../bullmq-patches/fetch-tracker.js';
import { tolerateInvalidJobs, type GuardOptions, startRestoringKeys } from '../bullmq-patches/tolerate-invalid-jobs.js';
import { rewriteFetchScripts } from '../bullmq-patches/fetch-scripts.js';
import { withFairOrder } from '../ingress/fair-queue.js';
import { createRedisFairQueue } from './redis-fair-queue.js';

export type RedisWorkerOptions = {
  processJob: Processor;
  settings: WorkerSettings & { connection: Redis | Cluster; prefix: string };
  onError: (error: Error) => void;
};

/**
 * Creates the worker of an ingress queue in Redis. It fetches jobs in fair order, and handles any job that a producer
 * wrote.
 */
export function createIngressWorker(name: string, { processJob, settings, onError }: RedisWorkerOptions): WorkerHandle {
  const { connection: client, prefix } = settings;
  const guardOptions: GuardOptions = { client, keyPrefix: `${prefix}:${name}:`, onError };
  rewriteFetchScripts(client);
  let fetches: IngressFetches | undefined;
  const { Worker } = withBackend<RedisQueueBackend, ConnectionOptions>((...args) => {
    const backend = createRedisBackend(...args);
    tolerateInvalidJobs(backend, guardOptions);
    fetches = observeFetches(backend);
    return backend;
  });
  const isEmpty = () => fetches?.isEmpty() ?? false;
  const queue = { ...createRedisFairQueue(client, `${prefix}:${name}`), isEmpty };
  const processor = withFairOrder(queue, processJob, onError);
  const worker = createStartOnFetchWorker(Worker, name, processor, { ...settings, fetches: () => fetches });
  worker.on('error', onError);
  const stopRestoring = startRestoringKeys(guardOptions);
  return {
    name,
    close(force) {
      stopRestoring();
      return worker.close(force);
    },
  };
}
