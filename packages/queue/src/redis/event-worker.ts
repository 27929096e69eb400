import {
  type ConnectionOptions,
  createRedisBackend,
  type Processor,
  type RedisQueueBackend,
  withBackend,
} from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { rewriteFetchScripts } from '../bullmq-patches/fetch-scripts.js';
import { patchEventQueueBackend } from '../bullmq-patches/patch-event-queue-backend.js';
import { createReplyTracker } from '../bullmq-patches/reply-tracker.js';
import { startRestoringKeys } from '../bullmq-patches/restore-keys.js';
import { createStartOnFetchWorker } from '../bullmq-patches/start-on-fetch-worker.js';
import { withFairOrder } from '../event-queue/fair-queue.js';
import type { WorkerHandle, WorkerSettings } from '../queue-engine.js';
import { createRedisFairQueue } from './redis-fair-queue.js';

export type RedisWorkerOptions = {
  processJob: Processor;
  settings: WorkerSettings & { connection: Redis | Cluster; prefix: string };
  onError: (error: Error) => void;
};

/**
 * Creates the worker of an event queue in Redis. It fetches jobs in fair order. It also accepts malformed jobs, and
 * jobs whose id overwrites a BullMQ key.
 */
export function createEventWorker(name: string, { processJob, settings, onError }: RedisWorkerOptions): WorkerHandle {
  const { connection: client, prefix } = settings;
  const queue = { client, keyPrefix: `${prefix}:${name}:`, onError };
  // From now on, scripts that BullMQ defines on this client are rewritten: they fetch jobs in order of position.
  rewriteFetchScripts(client);
  const tracker = createReplyTracker();
  const { Worker } = withBackend<RedisQueueBackend, ConnectionOptions>((...args) => {
    const backend = createRedisBackend(...args);
    patchEventQueueBackend(backend, queue, tracker);
    return backend;
  });
  const fairQueue = { ...createRedisFairQueue(client, queue.keyPrefix), isEmpty: tracker.isEmpty };
  const processor = withFairOrder(fairQueue, processJob, onError);
  const worker = createStartOnFetchWorker(Worker, name, processor, { ...settings, tracker });
  worker.on('error', onError);
  // Moves jobs out of BullMQ's own keys, now and every 5 s.
  const stopRestoring = startRestoringKeys(queue);
  return {
    name,
    close(force) {
      stopRestoring();
      return worker.close(force);
    },
  };
}
