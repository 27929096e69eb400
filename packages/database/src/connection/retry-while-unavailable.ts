import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/runtime';
import { isTransientDatabaseError } from './database-errors.js';

/**
 * The process stopped while the operation waited to be repeated. The operation did not succeed; another process gets
 * its job, delivery or message.
 */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an operation after each error for which `isTransientDatabaseError` returns true: PostgreSQL is unavailable, a
 * deadlock, a cancelled statement, a secret that no key decrypts. It waits 0.1 s to 2 s. The process keeps its work
 * meanwhile, so an outage uses up no attempts. Throws any other error, and a StoppingError when the process stops
 * first.
 */
export type RetryWhileUnavailable = <T>(operation: () => Promise<T>) => Promise<T>;

/** What retrying needs of its process. */
export type RetryOptions = {
  /** Aborts when the process stops. */
  stopping: AbortSignal;
  log: Pick<Logger, 'warn'>;
  /** The first part of the warning's name. */
  program: 'worker' | 'bridge';
  /** 30 s when absent. */
  warnEveryMs?: number;
};

/**
 * Creates a function that repeats operations. Once an operation has waited for `warnEveryMs`, it logs
 * `<program>.waiting`, at most once in that time for all operations.
 */
export function createRetryWhileUnavailable(options: RetryOptions): RetryWhileUnavailable {
  const { stopping, log, program, warnEveryMs = 30_000 } = options;
  let warnedAt = -Infinity;
  const warn = (error: unknown, since: number) => {
    const now = performance.now();
    if (Math.min(now - since, now - warnedAt) < warnEveryMs) return;
    warnedAt = now;
    log.warn(`${program}.waiting`, { seconds: Math.round((now - since) / 1_000), ...errorFields(error) });
  };
  return async (operation) => {
    const since = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await operation();
      } catch (error) {
        if (!isTransientDatabaseError(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        warn(error, since);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
