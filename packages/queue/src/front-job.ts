import type { QueueHandle } from './queue-engine.js';

type Queue = Pick<QueueHandle, 'getRanges'>;

// Between the count and the read, up to this many jobs may be fetched.
const maxFetchedBetween = 100;

/**
 * The id of the oldest waiting job; null if none waits. `count` is the number of waiting jobs, as `countJobs` read it.
 * Both engines list the newest job first, and on PostgreSQL a range always counts from the newest. Also null if more
 * than 100 jobs were fetched since the count.
 */
export async function readOldestWaitingId(queue: Queue, count = 0): Promise<string | null> {
  if (count === 0) return null;
  const ids = await queue.getRanges(['waiting'], Math.max(0, count - maxFetchedBetween), -1);
  return ids.at(-1) ?? null;
}

/** The id of the job at the end of the list of active jobs; null if none is active. */
export async function readOldestActiveId(queue: Queue): Promise<string | null> {
  return (await queue.getRanges(['active'], 0, -1)).at(-1) ?? null;
}

/** The id of the prioritized job that is fetched first; null if there is none. */
export async function readFirstPrioritizedId(queue: Queue): Promise<string | null> {
  return (await queue.getRanges(['prioritized'], 0, 0, true))[0] ?? null;
}
