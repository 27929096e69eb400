import { setTimeout as sleep } from 'node:timers/promises';

/** We were told to stop while what we need was away: nothing was done, and the job belongs back in its queue. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Repeats an act while it fails for a passing reason, waiting longer each time up to 2 s: whoever has a job in hand
 * keeps it until the ledger is back, so that an outage neither spends attempts nor sends jobs round in circles. Throws
 * a StoppingError when `stopping` comes first.
 */
export async function persist<T>(
  act: () => Promise<T>,
  { isPassing, stopping }: { isPassing: (error: unknown) => boolean; stopping: AbortSignal },
): Promise<T> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}
