import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, type Job } from 'bullmq';
import { type Backend, isIngress, isQueueUnavailable, type WorkerHandle, type WorkerSettings } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import type { JobEnd } from './job-end.js';
import type { PoisonJobs } from './poison-jobs.js';

/** An attempt failed at the receiver. The text is fixed: BullMQ reads meaning into some messages and names. */
export class AttemptFailedError extends Error {
  override readonly name = 'AttemptFailedError';
  constructor(readonly waitMs: number) {
    super('the attempt failed');
  }
}

const longestWaitMs = 100_000_000;
const ourTroubleWaitMs = { first: 500, longest: 15_000 };

/** BullMQ's custom backoff: the policy's wait, which the verdict carried here. Total: never throws, never NaN. */
export function backoff(_attemptsMade: number, _type?: string, error?: Error): number {
  const waitMs = error instanceof AttemptFailedError ? error.waitMs : ourTroubleWaitMs.longest;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, Math.ceil(waitMs)), longestWaitMs) : longestWaitMs;
}

/**
 * A job of a crashed worker is found within 15 s however often that happens; what is finished leaves the engine at
 * once, for the ledger remembers it. Only a platform's job that failed is kept for a look at it.
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

export type Handler = {
  /** How often the worker of a job has to have died for the job to be suspected. */
  suspectAfter: number;
  handle(job: Pick<Job, 'name' | 'data' | 'timestamp'>): Promise<JobEnd>;
  /** Ends a job that killed its worker again and again, so that it does not kill the next one. */
  giveUp(job: { name: string; data: unknown }, reason: string): Promise<void>;
};

export type Consumer = {
  readonly queue: string;
  /** How many jobs were taken so far. */
  taken(): number;
  /** Since when no job was taken; 0 while one is in hand. */
  idleForMs(): number;
  /** Leaves BullMQ's worker as it is and takes a new one. */
  reopen(): void;
  /** Stops taking jobs; resolves when those in hand are done, or at once with `force`. */
  close(force?: boolean): Promise<void>;
};

/** `poisonJobs` is one for all consumers of a process: a job that kills it kills those of the other queues, too. */
export type ConsumerDeps = { backend: Backend; log: Logger; poisonJobs: PoisonJobs };

/**
 * Runs the handler for each job of a queue. Only here is an end turned into what BullMQ wants: a failed attempt into
 * an error with a backoff, a job that came early or met trouble of our own into a delay that spends no attempt.
 */
export function consume(
  { backend, log, poisonJobs }: ConsumerDeps,
  queue: string,
  { concurrency, handler }: { concurrency: number; handler: Handler },
): Consumer {
  let inHand = 0;
  let taken = 0;
  let takenAt = performance.now();
  const handle = async (job: Job): Promise<JobEnd> => {
    if (job.stalledCounter < handler.suspectAfter) return handler.handle(job);
    return poisonJobs.run(job, {
      run: () => handler.handle(job),
      giveUp: (reason) => handler.giveUp(job, reason),
    });
  };
  const take = async (job: Job): Promise<JobEnd> => {
    inHand++;
    taken++;
    try {
      return await handle(job);
    } finally {
      inHand--;
      takenAt = performance.now();
    }
  };
  const process = async (job: Job, token?: string) => {
    const end = await take(job).catch((error: unknown): JobEnd => {
      log.error('job.trouble', { queue, job_id: job.id, ...errorFields(error) });
      return { type: 'early', waitMs: troubleWaitMs(job) };
    });
    if (end.type === 'early') return putBack(job, token, end.waitMs);
    if (end.type === 'done') return;
    throw new AttemptFailedError(end.waitMs);
  };
  const onError = (error: Error) => log.error('worker.error', { queue, ...errorFields(error) });
  const removeOnFail = isIngress(queue) ? { age: 7 * 24 * 3_600 } : settings.removeOnFail;
  const open = () => backend.openWorker(queue, process, { ...settings, removeOnFail, concurrency }, onError);
  let worker: WorkerHandle = open();
  return {
    queue,
    taken: () => taken,
    idleForMs: () => (inHand > 0 ? 0 : performance.now() - takenAt),
    reopen() {
      worker.close(true).catch(onError);
      worker = open();
    },
    close: (force) => worker.close(force),
  };
}

function troubleWaitMs(job: Job): number {
  const starts = Math.min(Math.max(0, job.attemptsStarted - job.attemptsMade - 1), 10);
  return Math.min(ourTroubleWaitMs.first * 2 ** starts, ourTroubleWaitMs.longest);
}

/**
 * A platform's job has one attempt as far as BullMQ knows, so it must never seem to fail: putting it back is tried
 * until the engine answers. A job whose lock is lost meanwhile is another worker's by then, and BullMQ says so.
 */
async function putBack(job: Job, token: string | undefined, waitMs: number): Promise<never> {
  for (;;) {
    try {
      await job.moveToDelayed(Date.now() + Math.ceil(waitMs), token);
      throw new DelayedError();
    } catch (error) {
      if (error instanceof DelayedError || !isQueueUnavailable(error)) throw error;
      await sleep(1_000);
    }
  }
}
