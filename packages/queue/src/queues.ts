import type { QueueEngine, QueueHandle } from './queue-engine.js';
import type { CountRequest } from './redis/redis-request-counter.js';
import { type IngressState, readIngressState, readObstacles } from './ingress/ingress-state.js';
import { countJobs } from './job-counts.js';
import { createEventJob, createTestCallJob, createVerificationJob, verificationIdOf } from './jobs.js';
import {
  type Channel,
  type IngressJobData,
  ingressQueues,
  type QueueName,
  queueNames,
  testCallQueue,
  verificationQueue,
} from './queue-names.js';
import { ignoreUnreadable, readOldestTimestamps } from './oldest-push-time.js';
import { openPostgresBackend } from './postgres/postgres-engine.js';
import { openRedisBackend } from './redis/redis-engine.js';

export type QueueSettings = {
  /** When absent or empty, the queues are in PostgreSQL. */
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** BullMQ's key prefix on Redis, or the schema on PostgreSQL. */
  prefix: string;
};

/** The producers' side of all queues. While the engine is unavailable, a call fails within about two seconds. */
export type Queues = {
  enqueueVerification(verificationId: string): Promise<void>;
  enqueueTestCall(testCallId: string): Promise<void>;
  /**
   * Pushes events as a platform with a BullMQ client does, without job options. A payload that is an object is sent as JSON
   * text; a text is sent unchanged.
   */
  pushEvents(channel: Channel, jobs: { name: string; data: IngressJobData }[]): Promise<void>;
  /** The number of jobs of each queue in each state. */
  countJobsByQueue(): Promise<Record<QueueName, Record<string, number>>>;
  /** A queue, for an operator's commands. */
  open(name: QueueName): QueueHandle;
  /** The ids of verification challenges that have a job in any state. */
  listQueuedVerifications(): Promise<Set<string>>;
  /** The state of an ingress queue. */
  readIngressState(name: QueueName): Promise<IngressState>;
  /**
   * When an ingress job was pushed, by its producer's clock, and when it was last fetched, by its worker's clock. Undefined
   * when it does not exist or cannot be read.
   */
  ingressTimes(
    name: QueueName,
    jobId: string,
  ): Promise<{ pushedAt: number; fetchedAt: number | undefined } | undefined>;
  /** The number of jobs that workers can fetch now; 0 while the queue is paused or has a limit that a BullMQ client set. */
  countFetchable(name: string): Promise<number>;
  /** When the oldest waiting job was pushed, by its producer's clock; null when none waits. */
  readOldestPushTime(name: QueueName): Promise<Date | null>;
  /** Creates a counter of requests in windows that all processes share; undefined on PostgreSQL, which has none. */
  createRequestCounter(windowMs: number): CountRequest | undefined;
  ping(): Promise<void>;
  /** Whether the engine lost its data since `writeMarker` was called, or `writeMarker` was never called. */
  hasLostData(): Promise<boolean>;
  writeMarker(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the queue engine. Only this function chooses between Redis and PostgreSQL. */
export function openQueueEngine({ redisUrl, databaseUrl, prefix }: QueueSettings): QueueEngine {
  return redisUrl ? openRedisBackend({ redisUrl, prefix }) : openPostgresBackend({ databaseUrl, schema: prefix });
}

const unfinishedStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;

// Redis can add this many jobs within a command's timeout.
const maxBulkSize = 1_000;

async function addAll(queue: QueueHandle, jobs: Parameters<QueueHandle['addBulk']>[0]): Promise<void> {
  for (let start = 0; start < jobs.length; start += maxBulkSize) {
    await queue.addBulk(jobs.slice(start, start + maxBulkSize));
  }
}

export function openQueues(settings: QueueSettings & { onError: (error: Error) => void }): Queues {
  const backend = openQueueEngine(settings);
  const opened = new Map<string, QueueHandle>();
  const queue = (name: string) => {
    const handle = opened.get(name) ?? backend.openQueue(name, settings.onError);
    opened.set(name, handle);
    return handle;
  };
  return {
    enqueueVerification: async (id) => void (await queue(verificationQueue).addBulk([createVerificationJob(id)])),
    enqueueTestCall: async (id) => void (await queue(testCallQueue).addBulk([createTestCallJob(id)])),
    pushEvents: async (channel, jobs) => addAll(queue(ingressQueues[channel]), jobs.map(createEventJob)),
    async countJobsByQueue() {
      const counts = queueNames.map(async (name) => [name, await countJobs(queue(name))] as const);
      return Object.fromEntries(await Promise.all(counts)) as Record<QueueName, Record<string, number>>;
    },
    open: queue,
    async listQueuedVerifications() {
      const ids = await queue(verificationQueue).getRanges([...unfinishedStates], 0, -1);
      return new Set(ids.map(verificationIdOf));
    },
    readIngressState: (name) => readIngressState(queue(name)),
    async ingressTimes(name, jobId) {
      const job = await queue(name).getJob(jobId).catch(ignoreUnreadable);
      return job && { pushedAt: job.timestamp, fetchedAt: job.processedOn };
    },
    async countFetchable(name) {
      if ((await readObstacles(queue(name))).length > 0) return 0;
      const { waiting = 0, prioritized = 0 } = await queue(name).getJobCounts('waiting', 'prioritized');
      return waiting + prioritized;
    },
    async readOldestPushTime(name) {
      const oldest = Math.min(...(await readOldestTimestamps(queue(name))));
      return Number.isFinite(oldest) ? new Date(oldest) : null;
    },
    createRequestCounter: (windowMs) => backend.createRequestCounter?.(windowMs, settings.onError),
    ping: () => backend.check(),
    hasLostData: () => backend.hasLostData(),
    writeMarker: () => backend.acknowledgeDataLoss(),
    async close() {
      await Promise.allSettled([...opened.values()].map((handle) => handle.close()));
      await backend.close();
    },
  };
}
