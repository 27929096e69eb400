import type { QueueHandle } from './queue-engine.js';

// Between the count and the read, up to this many jobs may be fetched, and as many pushed.
const maxChangesBetween = 100;

/**
 * The id of the job at the front of a list: of waiting and active jobs the oldest one, of prioritized jobs the one that
 * is fetched first. Null if the list is empty. `count` is the length of the list, as `countJobs` read it. Both engines
 * list the newest job first, and only Redis can list waiting and active jobs from the front.
 */
export async function readFrontJobId(
  queue: Pick<QueueHandle, 'getRanges'>,
  list: 'waiting' | 'prioritized' | 'active',
  count = 0,
): Promise<string | null> {
  if (count === 0) return null;
  const ids = await queue.getRanges([list], Math.max(0, count - maxChangesBetween), count + maxChangesBetween);
  return ids.at(-1) ?? null;
}
