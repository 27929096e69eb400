import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/process';
import { isTransientDatabaseError } from './database-errors.js';

/**
 * The process stopped before the operation succeeded. Another process gets the job, delivery or message of the
 * operation.
 */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an operation after each error for which `isTransientDatabaseError` returns true, for example while PostgreSQL
 * is unavailable. It waits 0.1 s to 2 s before each repetition. The process keeps its work meanwhile, so an outage uses
 * up no attempts. Throws any other error, and a StoppingError if the process stops first.
 */
export type RetryWhileUnavailable = <T>(operation: () => Promise<T>) => Promise<T>;

/** What retrying needs of its process. */
export type RetryOptions = {
  /** Aborts when the process stops. */
  stopping: AbortSignal;
  log: Pick<Logger, 'warn'>;
  /** The first part of the name of the log event. */
  program: 'worker' | 'bridge';
  /** The shortest time between two warnings, and before the first one of an operation; 30 s when absent. */
  warnEveryMs?: number;
};

/**
 * Creates a function that repeats operations. After an operation has failed for `warnEveryMs`, the function logs
 * `<program>.waiting`, at most one time in `warnEveryMs` for all operations.
 */
export function createRetryWhileUnavailable(options: RetryOptions): RetryWhileUnavailable {
  const { stopping, log, program, warnEveryMs = 30_000 } = options;
  let warnedAtMonotonicMs = -Infinity;
  const warn = (error: unknown, startedAtMonotonicMs: number) => {
    const nowMonotonicMs = performance.now();
    const failingForMs = nowMonotonicMs - startedAtMonotonicMs;
    if (Math.min(failingForMs, nowMonotonicMs - warnedAtMonotonicMs) < warnEveryMs) return;
    warnedAtMonotonicMs = nowMonotonicMs;
    log.warn(`${program}.waiting`, { seconds: Math.round(failingForMs / 1_000), ...errorFields(error) });
  };
  return async (operation) => {
    const startedAtMonotonicMs = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await operation();
      } catch (error) {
        if (!isTransientDatabaseError(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        warn(error, startedAtMonotonicMs);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
