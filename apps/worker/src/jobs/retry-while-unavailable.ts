import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';

/** The worker stops while PostgreSQL is unavailable: the act was not done, and its job or delivery goes back. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an act while PostgreSQL is unavailable, with waits from 0.1 s to 2 s. The worker keeps its jobs and deliveries
 * meanwhile, so an outage spends no attempts. Throws any other error, and a StoppingError when the worker stops first.
 */
export type RetryWhileUnavailable = <T>(act: () => Promise<T>) => Promise<T>;

type Options = { stopping: AbortSignal; log: Pick<Logger, 'warn'>; warnEveryMs?: number };

/** `warnEveryMs`: the log gets one `worker.waiting` in this time, when an act has waited for as long. */
export function createRetryWhileUnavailable({ stopping, log, warnEveryMs = 30_000 }: Options): RetryWhileUnavailable {
  let warnedAt = -Infinity;
  const warn = (error: unknown, since: number) => {
    const now = performance.now();
    if (Math.min(now - since, now - warnedAt) < warnEveryMs) return;
    warnedAt = now;
    log.warn('worker.waiting', { seconds: Math.round((now - since) / 1_000), ...errorFields(error) });
  };
  return async (act) => {
    const since = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await act();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        warn(error, since);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
