import type { Job, JobsOptions, JobType, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import type { CountRequest } from './redis-request-counter.js';
import type { PreviousQueueName } from './previous-queues.js';

/** What Ringback uses of BullMQ's Queue, whichever engine is behind it. */
export type QueueHandle = {
  readonly name: string;
  add(name: string, data: object, options?: JobsOptions): Promise<{ id?: string | undefined }>;
  addBulk(jobs: { name: string; data: object; opts?: JobsOptions }[]): Promise<unknown>;
  /** PostgreSQL calls the jobs that wait in a queue that is paused `paused`; Redis calls them `waiting`. */
  getJobCounts(...types: (JobType | 'paused')[]): Promise<Record<string, number>>;
  getJob(
    id: string,
  ): Promise<
    Pick<Job, 'id' | 'data' | 'delay' | 'opts' | 'stacktrace' | 'timestamp' | 'processedOn' | 'getState'> | undefined
  >;
  /** Ids of the jobs of these kinds, from the `start`-th to the `end`-th; -1 is the last. The newest first without `asc`. */
  getRanges(types: JobType[], start?: number, end?: number, asc?: boolean): Promise<string[]>;
  /** What holds for all workers together, set by somebody with a BullMQ client; null when nothing is set. */
  getGlobalConcurrency(): Promise<number | null>;
  getGlobalRateLimit(): Promise<{ max: number; duration: number } | null>;
  /** Removes a job that is in nobody's hands; 0 when it is in somebody's. */
  remove(id: string): Promise<number>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Removes every job that waits; with `delayed`, those that wait for their time too. */
  drain(delayed?: boolean): Promise<void>;
  close(): Promise<void>;
};

/** What Ringback uses of BullMQ's Worker. */
export type WorkerHandle = {
  readonly name: string;
  /** Stops taking jobs; resolves when those in flight are done, or at once with `force`. */
  close(force?: boolean): Promise<void>;
};

export type WorkerSettings = Omit<WorkerOptions, 'connection' | 'prefix'>;

/** One engine of BullMQ: Redis or PostgreSQL. Nothing outside this package knows which. */
export type Backend = {
  readonly engine: 'redis' | 'postgres';
  openQueue(name: string, onError: (error: Error) => void): QueueHandle;
  openWorker(name: string, process: Processor, settings: WorkerSettings, onError: (error: Error) => void): WorkerHandle;
  /** The queues of the release before that still have jobs of deliveries. */
  previousQueues(): Promise<PreviousQueueName[]>;
  /** A count of hits that all processes share; absent when the engine is no place for that. */
  createRequestCounter?(windowMs: number, onError: (error: Error) => void): CountRequest;
  /** Resolves when the engine answers and is fit for us; throws an Error that says what is wrong. */
  check(): Promise<void>;
  /** Whether the engine, or a part of it, forgot that `writeMarker` was ever called: then it lost its data, jobs and all. */
  isMarkerMissing(): Promise<boolean>;
  writeMarker(): Promise<void>;
  close(): Promise<void>;
};

/** What both engines tell their queues: few event rows, no telemetry. */
export const queueDefaults = { streams: { events: { maxLen: 1_000 } } } satisfies Partial<QueueOptions>;
