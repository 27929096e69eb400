import { Job as BullJob, type JobsOptions, type JobType, type QueueOptions } from 'bullmq';
import { isPostgresUnavailable, someCause, withTimeout } from '@ringback/process';
import type { WorkerSettings, JobConnection } from './job-connection.js';

/** The number of requests for a key in the current window, including this one, and the time until the window ends. */
export type RequestCount = { requests: number; endsInMs: number };

/** Counts a request for a key. A window starts with the first request. */
export type CountRequest = (key: string) => Promise<RequestCount>;

export type OnError = (error: Error) => void;

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
    | Pick<BullJob, 'id' | 'data' | 'delay' | 'opts' | 'stacktrace' | 'timestamp' | 'processedOn' | 'getState'>
    | undefined
  >;
  /**
   * The ids of the jobs in these states, for each state from index `start` to `end` (-1: the last). The newest job
   * comes first; with `asc` the oldest, and of prioritized jobs the one that is fetched first. But on PostgreSQL,
   * `start` and `end` of waiting and active jobs always count from the newest.
   */
  getRanges(types: JobType[], start?: number, end?: number, asc?: boolean): Promise<string[]>;
  /** The data of jobs as text; empty for a job that is gone. */
  readData(ids: string[]): Promise<string[]>;
  /**
   * Puts waiting jobs before all others, the last of them first (on PostgreSQL in about this order). Leaves out jobs
   * that wait no more.
   */
  moveToFront(ids: string[]): Promise<void>;
  /** The limit of active jobs that a BullMQ client has set for all workers together; null if there is none. */
  getGlobalConcurrency(): Promise<number | null>;
  /**
   * The limit of fetched jobs in a time that a BullMQ client has set for all workers together; null if there is none.
   */
  getGlobalRateLimit(): Promise<{ max: number; duration: number } | null>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Removes all waiting and prioritized jobs; with `delayed`, delayed jobs too. */
  drain(delayed?: boolean): Promise<void>;
  close(): Promise<void>;
};

/**
 * BullMQ on Redis or on PostgreSQL. Only Redis has `createRequestCounter`, and only Redis can lose jobs while the
 * database keeps its data. This loss is detected by the _marker_, a key of Ringback that is lost together with the
 * jobs.
 */
export type QueueEngine = {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string, onError: OnError): QueueHandle;
  /** Opens a connection that fetches and finishes jobs, for a consumer. */
  openJobConnection(name: string, settings: Required<WorkerSettings>, onError: OnError): JobConnection;
  /** Creates a counter of requests that all processes share. Absent on PostgreSQL. */
  createRequestCounter?(windowMs: number, onError: OnError): CountRequest;
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

type BullQueue = ConstructorParameters<typeof BullJob>[0] &
  Omit<QueueHandle, 'getJob' | 'readData' | 'moveToFront'> & {
    waitUntilReady(): Promise<unknown>;
    getJob(id: string): Promise<BullJob | undefined>;
  };

type RecoveryOptions<Q> = {
  create: () => Q;
  /** Resolves when the server can be reached. */
  connect(): Promise<unknown>;
  readData(queue: Q, ids: string[]): Promise<string[]>;
  /** Whether the engine has the state `paused`, apart from `waiting`. */
  hasPausedState: boolean;
  /** How long starting the queue may take. */
  readyTimeoutMs: number;
  /** How long each command may take. */
  replyTimeoutMs: number;
};

/**
 * A BullMQ queue, which is created at the first call for which the server responds, and created again if its start
 * fails. BullMQ's own Queue waits for a server without a timeout, and remembers a failed start for ever.
 */
export class RecoveringQueue<Q extends BullQueue> implements QueueHandle {
  readonly name: string;
  readonly #options: RecoveryOptions<Q>;
  #current: Q | undefined;
  #hasSucceeded = false;

  constructor(name: string, options: RecoveryOptions<Q>) {
    this.name = name;
    this.#options = options;
  }

  add(...args: Parameters<QueueHandle['add']>): ReturnType<QueueHandle['add']> {
    return this.#run((queue) => queue.add(...args));
  }

  addBulk(jobs: Parameters<QueueHandle['addBulk']>[0]): Promise<unknown> {
    return this.#run(async (queue) => {
      const [job, ...others] = jobs;
      // BullMQ creates two temporary tables in PostgreSQL for each batch, so a single job takes a tenth of the time.
      if (job && others.length === 0) return queue.add(job.name, job.data, job.opts);
      return queue.addBulk(jobs);
    });
  }

  getJobCounts(...states: (JobType | 'paused')[]): Promise<Record<string, number>> {
    const known = this.#options.hasPausedState ? states : states.filter((state) => state !== 'paused');
    return this.#run((queue) => queue.getJobCounts(...known));
  }

  getJob(id: string): Promise<BullJob | undefined> {
    return this.#run((queue) => queue.getJob(id));
  }

  getRanges(...args: Parameters<QueueHandle['getRanges']>): Promise<string[]> {
    return this.#run((queue) => queue.getRanges(...args));
  }

  readData(ids: string[]): Promise<string[]> {
    return this.#run((queue) => this.#options.readData(queue, ids));
  }

  async moveToFront(ids: string[]): Promise<void> {
    await this.#run((queue) => {
      const move = (id: string) =>
        new BullJob(queue, '', {}, {}, id).changePriority({ priority: 0, lifo: true }).catch(ignoreMissing);
      return Promise.all(ids.map(move));
    });
  }

  getGlobalConcurrency(): Promise<number | null> {
    return this.#run((queue) => queue.getGlobalConcurrency());
  }

  getGlobalRateLimit(): ReturnType<QueueHandle['getGlobalRateLimit']> {
    return this.#run((queue) => queue.getGlobalRateLimit());
  }

  isPaused(): Promise<boolean> {
    return this.#run((queue) => queue.isPaused());
  }

  pause(): Promise<void> {
    return this.#run((queue) => queue.pause());
  }

  resume(): Promise<void> {
    return this.#run((queue) => queue.resume());
  }

  drain(delayed?: boolean): Promise<void> {
    return this.#run((queue) => queue.drain(delayed));
  }

  async close(): Promise<void> {
    await this.#current?.close();
  }

  /** Runs a command. After the first success, connecting and the command share one timeout. */
  async #run<T>(command: (queue: Q) => Promise<T>): Promise<T> {
    const running = this.#openAndRun(command);
    const reply = await (this.#hasSucceeded ? withReplyTimeout(running, this.#options.replyTimeoutMs) : running);
    this.#hasSucceeded = true;
    return reply;
  }

  async #openAndRun<T>(command: (queue: Q) => Promise<T>): Promise<T> {
    await this.#options.connect();
    const queue = (this.#current ??= this.#options.create());
    try {
      await withReplyTimeout(queue.waitUntilReady(), this.#options.readyTimeoutMs);
    } catch (error) {
      if (this.#current === queue) this.#current = undefined;
      void queue.close().catch(() => undefined);
      throw error;
    }
    return command(queue);
  }
}

/** BullMQ's Queue cannot read a job whose fields are not JSON. */
export function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
}

// BullMQ's error (its enum ErrorCode) for a job that does not exist.
const missingCode = -1;

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === missingCode)) throw error;
}

/**
 * Settles like the promise. If it does not settle within `timeoutMs`, rejects with the code `ETIMEDOUT`, which
 * `isQueueUnavailable` recognises.
 */
export function withReplyTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return withTimeout(timeoutMs, promise, () => {
    throw Object.assign(new Error('the queue engine sent no response in time'), { code: 'ETIMEDOUT' });
  });
}

// Redis 6 puts its own words before a refusal inside of a script.
const refusal = (code: string) => new RegExp(`^(ERR Error running script .*: -)?(${code})\\b`, 's');
const isDemoted = refusal('READONLY');

/** Whether the message of an error of Redis says that the server takes no writes because it is a replica. */
export const isReadOnlyRefusal = (message: string): boolean => isDemoted.test(message);

// ioredis reports these, or Redis refuses a command with them.
const redisMessages = [
  /connection is closed/i,
  /isn't writeable/i,
  /command timed out/i,
  /max retries per request/i,
  /failed to refresh slots cache/i,
  /all sentinels are unreachable/i,
  /too many cluster redirections/i,
  refusal('READONLY|OOM|MISCONF|BUSY|LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM'),
  // Redis 6 and 7.0 say this instead of NOPERM inside of a script.
  /the user executing the script can't run this command/i,
  /^ERR max number of clients/i,
  /^socket timeout/i,
];

/**
 * Whether an error, or one that it wraps, means that the queue engine is unavailable, full or read-only, or refuses
 * the user or the password. A later attempt may then succeed.
 */
export const isQueueUnavailable = (error: unknown): boolean =>
  someCause(
    error,
    (cause) => isPostgresUnavailable(cause) || redisMessages.some((pattern) => pattern.test(cause.message)),
  );
