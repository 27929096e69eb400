import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';

/**
 * The worker stops while PostgreSQL is unavailable. The operation was not done; another worker gets the job or delivery.
 */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an operation while PostgreSQL is unavailable, with waits from 0.1 s to 2 s. The worker keeps its jobs and
 * deliveries meanwhile, so an outage uses up no attempts. Throws any other error, and a StoppingError when the worker
 * stops first.
 */
export type RetryWhileUnavailable = <T>(operation: () => Promise<T>) => Promise<T>;

type Options = { stopping: AbortSignal; log: Pick<Logger, 'warn'>; warnEveryMs?: number };

/**
 * Once an operation has waited for `warnEveryMs`, it logs `worker.waiting`, at most once in that time for all
 * operations.
 */
export function createRetryWhileUnavailable({ stopping, log, warnEveryMs = 30_000 }: Options): RetryWhileUnavailable {
  let warnedAt = -Infinity;
  const warn = (error: unknown, since: number) => {
    const now = performance.now();
    if (Math.min(now - since, now - warnedAt) < warnEveryMs) return;
    warnedAt = now;
    log.warn('worker.waiting', { seconds: Math.round((now - since) / 1_000), ...errorFields(error) });
  };
  return async (operation) => {
    const since = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await operation();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        warn(error, since);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
