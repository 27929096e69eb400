import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats an act while it fails for a passing reason, waiting longer each time up to 2 s. A call that was made but
 * could not be written down would be made again; so it is written down however long that takes.
 */
export async function persist<T>(act: () => Promise<T>, isPassing: (error: unknown) => boolean): Promise<T> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(waitMs);
    }
  }
}
