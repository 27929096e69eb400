import type { Job, JobsOptions, JobType, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import type { CountRequest } from './redis/redis-request-counter.js';
import type { PreviousQueueName } from './previous-queues.js';

/** The part of BullMQ's Queue that Ringback uses, on any engine. */
export type QueueHandle = {
  readonly name: string;
  add(name: string, data: object, options?: JobsOptions): Promise<{ id?: string | undefined }>;
  addBulk(jobs: { name: string; data: object; opts?: JobsOptions }[]): Promise<unknown>;
  /** Counts jobs by state. Jobs that wait in a paused queue are `paused` on PostgreSQL and `waiting` on Redis. */
  getJobCounts(...types: (JobType | 'paused')[]): Promise<Record<string, number>>;
  getJob(
    id: string,
  ): Promise<
    Pick<Job, 'id' | 'data' | 'delay' | 'opts' | 'stacktrace' | 'timestamp' | 'processedOn' | 'getState'> | undefined
  >;
  /**
   * The ids of the jobs in these states, for each state from index `start` to `end` (-1: the last). The newest job
   * comes first; with `asc` the oldest, and of prioritized jobs the one that is fetched first. But on PostgreSQL,
   * `start` and `end` of waiting and active jobs always count from the newest.
   */
  getRanges(types: JobType[], start?: number, end?: number, asc?: boolean): Promise<string[]>;
  /** The limit of active jobs that a BullMQ client has set for all workers together; null if there is none. */
  getGlobalConcurrency(): Promise<number | null>;
  /**
   * The limit of fetched jobs in a time that a BullMQ client has set for all workers together; null if there is none.
   */
  getGlobalRateLimit(): Promise<{ max: number; duration: number } | null>;
  /** Removes a job, unless a worker is processing it: then returns 0. */
  remove(id: string): Promise<number>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Removes all waiting and prioritized jobs; with `delayed`, delayed jobs too. */
  drain(delayed?: boolean): Promise<void>;
  close(): Promise<void>;
};

/** The part of BullMQ's Worker that Ringback uses. */
export type WorkerHandle = {
  readonly name: string;
  /** Stops fetching jobs. Resolves when the running jobs have ended, or at once with `force`. */
  close(force?: boolean): Promise<void>;
};

export type WorkerSettings = Omit<WorkerOptions, 'connection' | 'prefix'>;

/**
 * BullMQ on Redis or on PostgreSQL. Only Redis has `createRequestCounter`, and only Redis can lose jobs while the
 * database keeps its data. This loss is detected by the _marker_, a key of Ringback that is lost together with the
 * jobs.
 */
export type QueueEngine = {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string, onError: (error: Error) => void): QueueHandle;
  openWorker(
    name: string,
    processJob: Processor,
    settings: WorkerSettings,
    onError: (error: Error) => void,
  ): WorkerHandle;
  /** The delivery queues of the previous version that still have jobs, in Redis unfinished ones. */
  listPreviousQueues(): Promise<PreviousQueueName[]>;
  /** Creates a counter of requests that all processes share. Absent on PostgreSQL. */
  createRequestCounter?(windowMs: number, onError: (error: Error) => void): CountRequest;
  /** Resolves if the engine responds and does not evict jobs; throws an Error that says what is wrong. */
  check(): Promise<void>;
  /** Whether the marker is missing: true on a new engine, and after the engine lost its data. False on PostgreSQL. */
  isMarkerMissing(): Promise<boolean>;
  /** Writes the marker. Does nothing on PostgreSQL. */
  writeMarker(): Promise<void>;
  close(): Promise<void>;
};

/** Queue options for both engines: BullMQ keeps about 1,000 entries in the event log of each queue. */
export const queueDefaults = { streams: { events: { maxLen: 1_000 } } } satisfies Partial<QueueOptions>;
