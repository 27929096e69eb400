import { setTimeout as sleep } from 'node:timers/promises';
import {
  type QueueEngine,
  DelayedError,
  isEventQueue,
  isQueueUnavailable,
  type Job,
  type WorkerHandle,
  type WorkerSettings,
} from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/process';
import { JobRetryError, backoff, errorBackoffMs } from './job-backoff.js';
import type { JobResult } from './job-result.js';
import type { JobIsolation } from './job-isolation.js';

/**
 * Settings of BullMQ's workers. Another worker runs the job of a crashed worker again within 15 s. BullMQ's own limit
 * of crashes is too high to be reached: `job-isolation.ts` ends a job that keeps crashing its workers. Jobs that have
 * ended are removed at once, except for failed jobs of event queues.
 */
const settings = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 1_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
  settings: { backoffStrategy: backoff },
} satisfies WorkerSettings;

const defaultIsolateAfterCrashes = 3;

export type JobHandler = {
  /** Jobs whose workers crashed this often (default: 3) run one at a time. */
  isolateAfterCrashes?: number;
  handle(job: Pick<Job, 'name' | 'data'>): Promise<JobResult>;
  /** Ends a job that crashes its workers, so that it does not crash another one. */
  deadLetter(job: { name: string; data: unknown }, reason: string): Promise<void>;
};

export type Consumer = {
  readonly queue: string;
  /** How many jobs were fetched. */
  fetchedCount(): number;
  /** How long no job has been running, in ms: since the last one ended, or since the start; 0 while one runs. */
  idleForMs(): number;
  /** Replaces BullMQ's worker with a new one, without waiting for running jobs. Does nothing on a closed consumer. */
  restart(): void;
  /** Stops fetching. Resolves when the running jobs have ended, or at once with `force`. */
  close(force?: boolean): Promise<void>;
};

/**
 * All consumers of a process share `jobIsolation`, because a job that crashes the process ends the jobs of all
 * queues.
 */
export type ConsumerDeps = { engine: QueueEngine; log: Logger; jobIsolation: JobIsolation };

/** Runs the handler for each job of a queue, until the consumer is closed. */
export function startConsumer(
  { engine, log, jobIsolation }: ConsumerDeps,
  queue: string,
  { concurrency, handler }: { concurrency: number; handler: JobHandler },
): Consumer {
  const runner = createJobRunner({ log, jobIsolation }, queue, handler);
  const onError = (error: Error) => log.error('consumer.error', { queue, ...errorFields(error) });
  // For 7 days, operators can inspect failed jobs of event queues.
  const removeOnFail = isEventQueue(queue) ? { age: 7 * 24 * 3_600 } : settings.removeOnFail;
  const workerSettings = { ...settings, removeOnFail, concurrency };
  const openWorker = (): WorkerHandle => {
    const isReplaced = () => worker !== opened;
    const processor = (job: Job, token?: string) => runner.run(job, token, isReplaced);
    const opened: WorkerHandle = engine.openWorker(queue, processor, workerSettings, onError);
    return opened;
  };
  let worker = openWorker();
  let isClosed = false;
  return {
    queue,
    fetchedCount: runner.fetchedCount,
    idleForMs: runner.idleForMs,
    restart() {
      if (isClosed) return;
      worker.close(true).catch(onError);
      worker = openWorker();
    },
    close(force) {
      isClosed = true;
      return worker.close(force);
    },
  };
}

/**
 * Creates the function that BullMQ's worker calls for each job. It runs the handler, in isolation if the job has
 * crashed its workers, and translates the result for BullMQ: `retry` becomes an error with a backoff. `defer` and an
 * internal error become a delay that does not use up an attempt. Also counts the jobs, and measures how long none has
 * run.
 */
function createJobRunner({ log, jobIsolation }: Omit<ConsumerDeps, 'engine'>, queue: string, handler: JobHandler) {
  const { isolateAfterCrashes = defaultIsolateAfterCrashes } = handler;
  let runningCount = 0;
  let fetchedCount = 0;
  let lastEndedAtMonotonicMs = performance.now();
  const handleOrIsolate = async (job: Job): Promise<JobResult> => {
    if (job.stalledCounter < isolateAfterCrashes) return handler.handle(job);
    return jobIsolation.runAlone(job, {
      run: () => handler.handle(job),
      deadLetter: (reason) => handler.deadLetter(job, reason),
    });
  };
  const handleCounted = async (job: Job): Promise<JobResult> => {
    runningCount++;
    fetchedCount++;
    try {
      return await handleOrIsolate(job);
    } finally {
      runningCount--;
      lastEndedAtMonotonicMs = performance.now();
    }
  };
  return {
    fetchedCount: () => fetchedCount,
    idleForMs: () => (runningCount > 0 ? 0 : performance.now() - lastEndedAtMonotonicMs),
    async run(job: Job, token: string | undefined, isReplaced: () => boolean): Promise<void> {
      const result = await handleCounted(job).catch((error: unknown): JobResult => {
        log.error('job.error', { queue, job_id: job.id, ...errorFields(error) });
        return { type: 'defer', waitMs: waitAfterErrorMs(job) };
      });
      if (result.type === 'defer') return defer(job, token, { waitMs: result.waitMs, isReplaced });
      if (result.type === 'complete') return;
      throw new JobRetryError(result.waitMs);
    },
  };
}

/** How long a job waits after an internal error. The wait doubles with each deferral of the job. */
function waitAfterErrorMs(job: Job): number {
  const deferralCount = Math.min(Math.max(0, job.attemptsStarted - job.attemptsMade - 1), 10);
  return Math.min(errorBackoffMs.initial * 2 ** deferralCount, errorBackoffMs.max);
}

type Deferral = { waitMs: number; isReplaced: () => boolean };

/**
 * Delays a job, and repeats this until the queue engine responds, because a job must not fail for an internal error.
 * Always throws: a DelayedError, which BullMQ expects of a delayed job, or the error that prevented the delay. If the
 * job's lock expires meanwhile, another worker gets the job, and BullMQ throws. A worker that was replaced has no
 * connection any more, so it leaves the job to its replacement.
 */
async function defer(job: Job, token: string | undefined, { waitMs, isReplaced }: Deferral): Promise<never> {
  for (;;) {
    try {
      await job.moveToDelayed(Date.now() + Math.ceil(waitMs), token);
      throw new DelayedError();
    } catch (error) {
      if (error instanceof DelayedError || !isQueueUnavailable(error) || isReplaced()) throw error;
      await sleep(1_000);
    }
  }
}
