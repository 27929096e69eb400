import type { Channel } from '@ringback/rules';
import { openQueueEngine, type QueueSettings } from './open-queue-engine.js';
import type { QueueEngine, QueueHandle } from './queue-engine.js';
import type { CountRequest } from './redis/redis-request-counter.js';
import { type EventQueueState, readEventQueueState, readFetchBlockers } from './event-queue/event-queue-state.js';
import { countJobs } from './job-counts.js';
import {
  createEventJob,
  createTestCallJob,
  createVerificationJob,
  type EventJobData,
  verificationIdOf,
} from './jobs.js';
import { eventQueues, type QueueName, queueNames, testCallQueue, verificationQueue } from './queue-names.js';
import { ignoreUnreadable, readOldestTimestamps } from './oldest-timestamps.js';

/**
 * All queues, for everything except running jobs. While the engine is unavailable, a call fails within a few seconds,
 * or later if the caller set a longer `redisTimeoutMs`.
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
  countJobsByQueue(): Promise<Record<QueueName, Record<string, number>>>;
  /** One of the queues, for an operator's commands. */
  open(name: QueueName): QueueHandle;
  /** The ids of verifications that have an unfinished job. */
  listQueuedVerifications(): Promise<Set<string>>;
  /** The state of an event queue. */
  readEventQueueState(name: QueueName): Promise<EventQueueState>;
  /**
   * When an event job was pushed, by its producer's clock, and when it was last fetched, by its worker's clock.
   * Undefined if the job does not exist or cannot be read. `fetchedAt` is undefined if the job was not fetched yet.
   */
  readEventJobTimes(
    name: QueueName,
    jobId: string,
  ): Promise<{ pushedAt: number; fetchedAt: number | undefined } | undefined>;
  /**
   * The number of jobs that workers can fetch now; 0 while the queue is paused or has a limit that a BullMQ client set.
   */
  countFetchable(name: string): Promise<number>;
  /**
   * When the oldest waiting job was pushed, by its producer's clock; null if none waits. May be the time of a newer job
   * if jobs were reordered or have the option `lifo`.
   */
  readOldestPushTime(name: QueueName): Promise<Date | null>;
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

type OnError = (error: Error) => void;

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
      return Object.fromEntries(await Promise.all(counts)) as Record<QueueName, Record<string, number>>;
    },
    open: handleOf,
    async listQueuedVerifications() {
      const ids = await handleOf(verificationQueue).getRanges([...unfinishedStates], 0, -1);
      return new Set(ids.map(verificationIdOf));
    },
    readEventQueueState: (name) => readEventQueueState(handleOf(name)),
    async readEventJobTimes(name, jobId) {
      const job = await handleOf(name).getJob(jobId).catch(ignoreUnreadable);
      return job && { pushedAt: job.timestamp, fetchedAt: job.processedOn };
    },
    async countFetchable(name) {
      if ((await readFetchBlockers(handleOf(name))).length > 0) return 0;
      const { waiting = 0, prioritized = 0 } = await handleOf(name).getJobCounts('waiting', 'prioritized');
      return waiting + prioritized;
    },
    async readOldestPushTime(name) {
      const oldest = Math.min(...(await readOldestTimestamps(handleOf(name))));
      return Number.isFinite(oldest) ? new Date(oldest) : null;
    },
    createRequestCounter: (windowMs) => engine.createRequestCounter?.(windowMs, onError),
    check: () => engine.check(),
    isMarkerMissing: () => engine.isMarkerMissing(),
    writeMarker: () => engine.writeMarker(),
    close: async () => void (await Promise.allSettled([...handles.values()].map((handle) => handle.close()))),
  };
}
