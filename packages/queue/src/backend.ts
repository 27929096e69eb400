import type { Job, JobsOptions, JobType, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import type { CountRequest } from './redis-request-counter.js';
import type { PreviousQueueName } from './previous-queues.js';

/** The part of BullMQ's Queue that Ringback uses, on any engine. */
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
  /** Ids of the jobs of these kinds, from the `start`-th to the `end`-th; -1 is the last. Newest first without `asc`. */
  getRanges(types: JobType[], start?: number, end?: number, asc?: boolean): Promise<string[]>;
  /** Limits of all workers together, which an operator may set with a BullMQ client; null when not set. */
  getGlobalConcurrency(): Promise<number | null>;
  getGlobalRateLimit(): Promise<{ max: number; duration: number } | null>;
  /** Removes a job that no worker is processing; 0 when one is. */
  remove(id: string): Promise<number>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Removes all waiting jobs; with `delayed`, delayed jobs too. */
  drain(delayed?: boolean): Promise<void>;
  close(): Promise<void>;
};

/** The part of BullMQ's Worker that Ringback uses. */
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
  /** The queues of the previous release that still have jobs of deliveries. */
  previousQueues(): Promise<PreviousQueueName[]>;
  /** Counts requests for all processes that share the engine; absent on an engine that does not. */
  createRequestCounter?(windowMs: number, onError: (error: Error) => void): CountRequest;
  /** Resolves when the engine answers and is safe for jobs; throws an Error that says what is wrong. */
  check(): Promise<void>;
  /** Whether the engine has no marker: `writeMarker` was never called, or the engine lost its data with all jobs. */
  isMarkerMissing(): Promise<boolean>;
  writeMarker(): Promise<void>;
  close(): Promise<void>;
};

/** Options of queues on both engines: few event rows, no telemetry. */
export const queueDefaults = { streams: { events: { maxLen: 1_000 } } } satisfies Partial<QueueOptions>;
