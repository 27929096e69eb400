import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/runtime';

/** We were told to stop while what we need was away: nothing was done, and the job belongs back in its queue. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an act while it fails for a passing reason, waiting longer each time up to 2 s: whoever has a job in hand
 * keeps it until the ledger is back, so that an outage neither spends attempts nor sends jobs round in circles. Throws
 * a StoppingError when the process is to stop first.
 */
export type Persist = <T>(act: () => Promise<T>, isPassing: (error: unknown) => boolean) => Promise<T>;

type Surroundings = { stopping: AbortSignal; log: Pick<Logger, 'warn'> };

/** The patience of a process. Of all that waits for longer than `complainAfterMs`, one tells the log so as often. */
export function openPatience({ stopping, log }: Surroundings, complainAfterMs = 30_000): Persist {
  let complainedAt = -Infinity;
  const complain = (error: unknown, since: number) => {
    const now = performance.now();
    if (Math.min(now - since, now - complainedAt) < complainAfterMs) return;
    complainedAt = now;
    log.warn('worker.waiting', { seconds: Math.round((now - since) / 1_000), ...errorFields(error) });
  };
  return async (act, isPassing) => {
    const since = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await act();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        complain(error, since);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
