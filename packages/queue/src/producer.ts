import type { Channel } from '@ringback/rules';
import type { CountRequest, OnError, QueueEngine, QueueHandle } from './engine.js';
import { countJobs, type JobCounts, type QueueHealth, readQueueHealth } from './health.js';
import {
  createEventJob,
  createTestCallJob,
  createVerificationJob,
  type EventJobData,
  eventQueues,
  type QueueName,
  queueNames,
  testCallQueue,
  verificationIdOf,
  verificationQueue,
} from './jobs.js';
import { PostgresEngine } from './postgres/postgres-engine.js';
import { RedisEngine } from './redis/redis-engine.js';

export type QueueSettings = {
  /** If absent or empty, the queues are in PostgreSQL. */
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** BullMQ's key prefix in Redis, or the name of its schema in PostgreSQL. */
  prefix: string;
  /** How long a command waits for Redis, 1 s by default. */
  redisTimeoutMs?: number;
};

/** Opens the queue engine. Only this function chooses between Redis and PostgreSQL. */
export function openQueueEngine({ redisUrl, databaseUrl, prefix, redisTimeoutMs }: QueueSettings): QueueEngine {
  return redisUrl
    ? new RedisEngine({ redisUrl, prefix, redisTimeoutMs })
    : new PostgresEngine({ databaseUrl, schema: prefix });
}

/**
 * All queues, for everything except running jobs. While the engine is unavailable, a call fails within a few seconds,
 * or later if the caller set a longer `redisTimeoutMs`. A push that failed may have been stored: repeat it with the
 * same ids, and each event and verification is still handled once.
 */
export type Queues = {
  enqueueVerification(verificationId: string): Promise<void>;
  enqueueTestCall(testCallId: string): Promise<void>;
  /**
   * Pushes events without job options, as a platform with a BullMQ client does. A payload that is an object is pushed
   * as JSON text, any other value unchanged.
   */
  pushEvents(channel: Channel, jobs: { name: string; data: EventJobData }[]): Promise<void>;
  /** The number of jobs of each queue in each state. */
  countJobsByQueue(): Promise<Record<QueueName, JobCounts>>;
  readHealth(name: QueueName): Promise<QueueHealth>;
  open(name: QueueName): QueueHandle;
  /** The ids of verifications that have an unfinished job. */
  listQueuedVerifications(): Promise<Set<string>>;
  /** Creates a counter of requests in windows, which all processes share. Returns undefined on PostgreSQL. */
  createRequestCounter(windowMs: number): CountRequest | undefined;
  /** Resolves if the engine responds and does not evict jobs; throws an Error that says what is wrong. */
  check(): Promise<void>;
  /** Whether the marker (see `QueueEngine`) is missing. */
  isMarkerMissing(): Promise<boolean>;
  writeMarker(): Promise<void>;
  close(): Promise<void>;
};

const unfinishedStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;

// Redis can add this many jobs within a command's timeout.
const maxBulkSize = 1_000;

async function addAll(queue: QueueHandle, jobs: Parameters<QueueHandle['addBulk']>[0]): Promise<void> {
  for (let start = 0; start < jobs.length; start += maxBulkSize) {
    await queue.addBulk(jobs.slice(start, start + maxBulkSize));
  }
}

/** Opens an engine and creates all queues on it. `close` closes the queues and the engine. */
export function openQueues({ onError, ...settings }: QueueSettings & { onError: OnError }): Queues {
  const engine = openQueueEngine(settings);
  const queues = createQueues(engine, { onError });
  return { ...queues, close: () => queues.close().finally(() => engine.close()) };
}

/**
 * Creates all queues on an engine that the caller owns: `close` leaves it open. A queue is opened when it is first
 * used.
 */
export function createQueues(engine: QueueEngine, { onError }: { onError: OnError }): Queues {
  const handles = new Map<string, QueueHandle>();
  const handleOf = (name: string) => {
    const handle = handles.get(name) ?? engine.openQueue(name, onError);
    handles.set(name, handle);
    return handle;
  };
  return {
    enqueueVerification: async (id) => void (await handleOf(verificationQueue).addBulk([createVerificationJob(id)])),
    enqueueTestCall: async (id) => void (await handleOf(testCallQueue).addBulk([createTestCallJob(id)])),
    pushEvents: async (channel, jobs) => addAll(handleOf(eventQueues[channel]), jobs.map(createEventJob)),
    async countJobsByQueue() {
      const counts = queueNames.map(async (name) => [name, await countJobs(handleOf(name))] as const);
      return Object.fromEntries(await Promise.all(counts)) as Record<QueueName, JobCounts>;
    },
    readHealth: (name) => readQueueHealth(handleOf(name)),
    open: handleOf,
    async listQueuedVerifications() {
      const ids = await handleOf(verificationQueue).getRanges([...unfinishedStates], 0, -1);
      return new Set(ids.map(verificationIdOf));
    },
    createRequestCounter: (windowMs) => engine.createRequestCounter?.(windowMs, onError),
    check: () => engine.check(),
    isMarkerMissing: () => engine.isMarkerMissing(),
    writeMarker: () => engine.writeMarker(),
    close: async () => void (await Promise.allSettled([...handles.values()].map((handle) => handle.close()))),
  };
}
