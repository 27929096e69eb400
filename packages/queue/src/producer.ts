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

const unfinishedStates = ['waiting', 'active', 'delayed', 'prioritized'] as const;

// Redis can add this many jobs within a command's timeout.
const maxBulkSize = 1_000;

/** Opens an engine and creates all queues on it. */
export function openQueues({ onError, ...settings }: QueueSettings & { onError: OnError }): Queues {
  return new Queues(openQueueEngine(settings), { onError, ownsEngine: true });
}

/**
 * All queues, for everything except running jobs. A queue is opened when it is first used. While the engine is
 * unavailable, a call fails within a few seconds, or later if the caller set a longer `redisTimeoutMs`. A push that
 * failed may have been stored: repeat it with the same ids, and each event and verification is still handled once.
 */
export class Queues {
  readonly #engine: QueueEngine;
  readonly #onError: OnError;
  readonly #ownsEngine: boolean;
  readonly #handles = new Map<string, QueueHandle>();

  /** `ownsEngine`: whether `close` closes the engine too. */
  constructor(engine: QueueEngine, { onError, ownsEngine = false }: { onError: OnError; ownsEngine?: boolean }) {
    this.#engine = engine;
    this.#onError = onError;
    this.#ownsEngine = ownsEngine;
  }

  open(name: QueueName): QueueHandle {
    const handle = this.#handles.get(name) ?? this.#engine.openQueue(name, this.#onError);
    this.#handles.set(name, handle);
    return handle;
  }

  async enqueueVerification(verificationId: string): Promise<void> {
    await this.open(verificationQueue).addBulk([createVerificationJob(verificationId)]);
  }

  async enqueueTestCall(testCallId: string): Promise<void> {
    await this.open(testCallQueue).addBulk([createTestCallJob(testCallId)]);
  }

  /**
   * Pushes events without job options, as a platform with a BullMQ client does. A payload that is an object is pushed
   * as JSON text, any other value unchanged.
   */
  async pushEvents(channel: Channel, events: { name: string; data: EventJobData }[]): Promise<void> {
    const queue = this.open(eventQueues[channel]);
    const jobs = events.map(createEventJob);
    for (let start = 0; start < jobs.length; start += maxBulkSize)
      await queue.addBulk(jobs.slice(start, start + maxBulkSize));
  }

  /** The number of jobs of each queue in each state. */
  async countJobsByQueue(): Promise<Record<QueueName, JobCounts>> {
    const counts = queueNames.map(async (name) => [name, await countJobs(this.open(name))] as const);
    return Object.fromEntries(await Promise.all(counts)) as Record<QueueName, JobCounts>;
  }

  async readHealth(name: QueueName): Promise<QueueHealth> {
    return readQueueHealth(this.open(name));
  }

  /** The ids of verifications that have an unfinished job. */
  async listQueuedVerifications(): Promise<Set<string>> {
    const ids = await this.open(verificationQueue).getRanges([...unfinishedStates], 0, -1);
    return new Set(ids.map(verificationIdOf));
  }

  /** Creates a counter of requests in windows, which all processes share. Returns undefined on PostgreSQL. */
  createRequestCounter(windowMs: number): CountRequest | undefined {
    return this.#engine.createRequestCounter?.(windowMs, this.#onError);
  }

  /** Resolves if the engine responds and does not evict jobs; throws an Error that says what is wrong. */
  check(): Promise<void> {
    return this.#engine.check();
  }

  /** Whether the marker (see `QueueEngine`) is missing. */
  isMarkerMissing(): Promise<boolean> {
    return this.#engine.isMarkerMissing();
  }

  writeMarker(): Promise<void> {
    return this.#engine.writeMarker();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#handles.values()].map((handle) => handle.close()));
    if (this.#ownsEngine) await this.#engine.close();
  }
}
