import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/process';
import { maxRetryWaitSeconds } from '@ringback/rules';
import { isQueueUnavailable, type QueueEngine } from './engine.js';
import type { Job, JobConnection, WorkerSettings } from './job-connection.js';

// The consumer fetches jobs itself (BullMQ's guide: "Manually processing jobs") instead of giving BullMQ's Worker a
// function, for three reasons. A job is handled as soon as it is fetched. Finishing a job also fetches the next one, in
// one call. And an error while a job is being finished is repeated, never counted as a failed attempt.

/**
 * Settings of BullMQ's workers. Another worker gets the job of a crashed worker within 15 s. A finished job is removed.
 */
const defaultSettings = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 10,
  drainDelay: 5,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} satisfies WorkerSettings;

/** A job whose workers crashed this often runs alone, because one of the jobs beside it may be the cause. */
const aloneAfterCrashes = 2;
const crashedReason = 'every worker that processed it crashed';
const reconnectDelayMs = 500;

/** The wait after an internal error: 0.5 s at first, doubled each time up to 15 s. */
const errorWaitMs = { initial: 500, max: 15_000 };
const maxWaitMs = maxRetryWaitSeconds * 1_000;

/** How a job ended: it is done, or it runs again in `waitMs`. An internal error is thrown instead. */
export type JobResult = { type: 'complete' } | { type: 'defer'; waitMs: number };

export type JobHandler = {
  handle(job: { name: string; data: unknown }): Promise<JobResult>;
  /** Ends a job that has crashed too many workers, so that it does not crash another one. */
  giveUp(job: { name: string; data: unknown }, reason: string): Promise<void>;
};

export type ConsumerOptions = { concurrency: number; handler: JobHandler; settings?: Partial<typeof defaultSettings> };

type ConsumerDeps = { engine: QueueEngine; log: Logger };

type Activity = { fetched: number; running: number; lastEndedAtMonotonicMs: number };
type LoopOptions = Required<ConsumerOptions> &
  ConsumerDeps & { queue: string; settings: typeof defaultSettings; activity: Activity };

/** Runs the handler for each job of a queue, from its creation until it is closed. */
export class Consumer {
  readonly queue: string;
  readonly #options: LoopOptions;
  #loop: JobLoop;
  #isClosed = false;

  constructor(deps: ConsumerDeps, queue: string, options: ConsumerOptions) {
    this.queue = queue;
    const activity = { fetched: 0, running: 0, lastEndedAtMonotonicMs: performance.now() };
    this.#options = { ...deps, ...options, queue, settings: { ...defaultSettings, ...options.settings }, activity };
    this.#loop = new JobLoop(this.#options);
  }

  fetchedCount(): number {
    return this.#options.activity.fetched;
  }

  /** How long no job has been running, in ms: since the last one ended, or since the start; 0 while one runs. */
  idleForMs(): number {
    const { running, lastEndedAtMonotonicMs } = this.#options.activity;
    return running > 0 ? 0 : performance.now() - lastEndedAtMonotonicMs;
  }

  /** Replaces BullMQ's worker with a new one, without waiting for running jobs. Does nothing on a closed consumer. */
  restart(): void {
    if (this.#isClosed) return;
    void this.#loop.abandon();
    this.#loop = new JobLoop(this.#options);
  }

  /** Stops fetching. Resolves when the running jobs have ended, or at once with `force`. */
  async close(force?: boolean): Promise<void> {
    this.#isClosed = true;
    if (force) void this.#loop.abandon();
    else await this.#loop.stop();
  }
}

type HeldJob = { id: string; token: string; lockedAtMonotonicMs: number };

let tokenCount = 0;
const createToken = () => `${process.pid}-${performance.timeOrigin}-${++tokenCount}`;

/**
 * Fetches and runs the jobs of a consumer over one connection. A loop fetches a job, which starts a chain: finishing a
 * job fetches the next. The loop goes on until `concurrency` chains run at once or no job waits.
 */
class JobLoop {
  readonly #options: LoopOptions;
  readonly #held = new Map<string, HeldJob>();
  readonly #renewal: NodeJS.Timeout;
  readonly #fetching: Promise<void>;
  #connection: JobConnection | undefined;
  #chains = 0;
  #onChainEnd: (() => void) | undefined;
  #isRunningAlone = false;
  #isStopping = false;
  #isAbandoned = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#renewal = setInterval(() => void this.#renewLocks(), options.settings.lockDuration / 4);
    this.#fetching = this.#fetchJobs();
  }

  /** Fetches no more jobs, and resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // The wait for a job ends with an error or an empty fetch.
    await this.#connection?.endWait().catch(() => undefined);
    await this.#fetching;
    while (this.#chains > 0) await this.#chainEnd();
    await this.abandon();
  }

  /** Closes the connection. The running jobs go on, but cannot be finished: another worker gets them. */
  async abandon(): Promise<void> {
    this.#isStopping = true;
    this.#isAbandoned = true;
    clearInterval(this.#renewal);
    this.#onChainEnd?.();
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(this.#report);
  }

  readonly #report = (error: unknown) => {
    const { log, queue } = this.#options;
    if (!this.#isAbandoned) log.error('consumer.error', { queue, ...errorFields(error) });
  };

  readonly #chainEnd = () => new Promise<void>((resolve) => (this.#onChainEnd = resolve));

  async #fetchJobs(): Promise<void> {
    const { concurrency, activity } = this.#options;
    let emptyFetches = 0;
    let fetchedBefore = activity.fetched;
    while (!this.#isStopping) {
      if (this.#chains >= concurrency) {
        await this.#chainEnd();
        continue;
      }
      const token = createToken();
      const job = await this.#fetch(token);
      if (job) {
        activity.fetched++;
        void this.#runChain(job, token);
      }
      // A fetch is also empty when a chain took the job first.
      if (activity.fetched > fetchedBefore) emptyFetches = 0;
      else if (++emptyFetches % 4 === 0 && !this.#isStopping) {
        // An empty fetch usually waits for seconds, but not in a queue that a BullMQ client limits.
        await sleep(50);
      }
      fetchedBefore = activity.fetched;
    }
  }

  async #fetch(token: string): Promise<Job | undefined> {
    const connection = await this.#connect();
    if (!connection) return undefined;
    try {
      return await connection.fetch(token);
    } catch (error) {
      const unreadable = await this.#findUnreadable(token, error);
      if (!unreadable && !this.#isStopping) await sleep(reconnectDelayMs);
      return unreadable;
    }
  }

  /**
   * The connection, or undefined if it could not be opened. BullMQ remembers a failed start, so each try opens a new
   * one.
   */
  async #connect(): Promise<JobConnection | undefined> {
    if (this.#connection) return this.#connection;
    const { engine, queue, settings } = this.#options;
    const connection = engine.openJobConnection(queue, settings, this.#report);
    // `stop` and `abandon` close it also while it starts.
    this.#connection = connection;
    try {
      await connection.start();
      return this.#isStopping ? undefined : connection;
    } catch (error) {
      this.#report(error);
      if (this.#connection === connection) this.#connection = undefined;
      connection.close().catch(() => undefined);
      if (!this.#isStopping) await sleep(reconnectDelayMs);
      return undefined;
    }
  }

  /** After an error of a fetch: the job that was fetched nevertheless, because only its fields could not be read. */
  async #findUnreadable(token: string, error: unknown): Promise<Job | undefined> {
    if (isQueueUnavailable(error)) {
      this.#report(error);
      return undefined;
    }
    const job = await this.#connection?.findUnreadable(token).catch(() => undefined);
    if (!job) this.#report(error);
    return job;
  }

  async #runChain(first: Job, token: string): Promise<void> {
    const { activity } = this.#options;
    this.#chains++;
    let job: Job | undefined = first;
    while (job) {
      this.#held.set(token, { id: job.id ?? '', token, lockedAtMonotonicMs: performance.now() });
      activity.running++;
      const result = await this.#runJob(job);
      activity.running--;
      activity.lastEndedAtMonotonicMs = performance.now();
      const next: Job | undefined = await this.#finish(job, token, result);
      if (next) activity.fetched++;
      job = next;
    }
    this.#held.delete(token);
    this.#chains--;
    this.#onChainEnd?.();
  }

  async #runJob(job: Job): Promise<JobResult> {
    const { log, queue } = this.#options;
    try {
      return await this.#handle(job);
    } catch (error) {
      log.error('job.error', { queue, job_id: job.id, ...errorFields(error) });
      return { type: 'defer', waitMs: waitAfterErrorMs(job) };
    }
  }

  async #handle(job: Job): Promise<JobResult> {
    const { handler, settings } = this.#options;
    const { name, stalledCounter } = job;
    const connection = this.#connection;
    // Another worker gets the job.
    if (!connection) throw new Error('the consumer was closed before the job was read');
    const data = await connection.readData(job);
    if (stalledCounter > settings.maxStalledCount) {
      await handler.giveUp({ name, data }, crashedReason);
      return { type: 'complete' };
    }
    if (stalledCounter < aloneAfterCrashes) return handler.handle({ name, data });
    // A job that crashes its workers must not take others with it each time, until they count as crashing too. So at
    // most one such job is in this worker's hands.
    if (this.#isRunningAlone) return { type: 'defer', waitMs: 50 + Math.random() * 1_000 };
    this.#isRunningAlone = true;
    try {
      return await handler.handle({ name, data });
    } finally {
      this.#isRunningAlone = false;
    }
  }

  /**
   * Finishes a job, and repeats this until the queue engine responds. Resolves with the next job, if one was fetched.
   * If the job's lock has expired meanwhile, another worker has the job.
   */
  async #finish(job: Job, token: string, result: JobResult): Promise<Job | undefined> {
    let hasForgottenParent = false;
    for (;;) {
      const connection = this.#connection;
      if (!connection || this.#isAbandoned) return undefined;
      try {
        if (result.type === 'complete') return await connection.complete(job, token, !this.#isStopping);
        await job.moveToDelayed(Date.now() + clampWait(result.waitMs), token);
        return undefined;
      } catch (error) {
        if (this.#isAbandoned) return undefined;
        if (isQueueUnavailable(error)) {
          this.#report(error);
          await sleep(reconnectDelayMs);
          continue;
        }
        if (isNotHeld(error)) {
          this.#options.log.warn('job.lock_lost', { queue: this.#options.queue, job_id: job.id });
          return undefined;
        }
        // Either the job is finished and the next one could not be read, or BullMQ cannot finish the job.
        const locked = await this.#findUnreadable(token, error);
        if (hasForgottenParent || !job.parentKey || (locked && locked.id !== job.id)) return locked;
        // BullMQ cannot finish a job whose parent is gone. If it has already removed the lock, the job runs once more.
        await connection.forgetParent(job).catch(this.#report);
        hasForgottenParent = true;
      }
    }
  }

  async #renewLocks(): Promise<void> {
    const now = performance.now();
    const maxAgeMs = this.#options.settings.lockDuration / 4;
    const held = [...this.#held.values()].filter(({ lockedAtMonotonicMs }) => now - lockedAtMonotonicMs >= maxAgeMs);
    if (held.length === 0) return;
    try {
      // A lost lock shows when the job is finished.
      await this.#connection?.renewLocks(held);
    } catch (error) {
      this.#report(error);
    }
  }
}

/** How long a job waits after an internal error. The wait doubles with each start of the job. */
function waitAfterErrorMs({ attemptsStarted }: Job): number {
  const earlierStarts = Math.min(Math.max(0, attemptsStarted - 1), 10);
  return Math.min(errorWaitMs.initial * 2 ** earlierStarts, errorWaitMs.max);
}

/** A wait in whole ms from 0 to 10^8. BullMQ would run a job at once, or never, for NaN and Infinity. */
const clampWait = (waitMs: number) =>
  Number.isFinite(waitMs) ? Math.min(Math.max(0, Math.ceil(waitMs)), maxWaitMs) : maxWaitMs;

// Codes of BullMQ's errors (its enum ErrorCode): the job does not exist, has no lock, is not active, has another lock.
const notHeldCodes = [-1, -2, -3, -6];

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isNotHeld = (error: unknown) => notHeldCodes.some((code) => code === codeOf(error));
