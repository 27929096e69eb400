import type { QueueHandle } from './queue-engine.js';
import { countJobs } from './job-counts.js';

/**
 * Reads when the oldest waiting jobs of a queue were pushed: one timestamp for each of its lists (waiting, prioritized)
 * whose oldest job exists and can be read.
 */
export async function readOldestTimestamps(queue: QueueHandle): Promise<number[]> {
  const ids = await Promise.all((['waiting', 'prioritized'] as const).map((type) => readOldestId(queue, type)));
  const jobs = await Promise.all(
    ids.map((id) => (id === undefined ? undefined : queue.getJob(id).catch(ignoreUnreadable))),
  );
  return jobs.flatMap((job) => (job ? [job.timestamp] : []));
}

/**
 * Ignores the error of a job whose data is not JSON: event workers can read such a job, but BullMQ's Queue cannot.
 * Throws any other error.
 */
export function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}

// Workers may fetch up to this many jobs between the count and the read.
const maxFetchedBetween = 100;

/** The id of the oldest job. Both engines list the newest first, and only Redis can list from the other end. */
async function readOldestId(queue: QueueHandle, type: 'waiting' | 'prioritized'): Promise<string | undefined> {
  const { [type]: count = 0 } = await countJobs(queue);
  if (count === 0) return undefined;
  const ids = await queue.getRanges([type], Math.max(0, count - maxFetchedBetween), count + maxFetchedBetween);
  return ids.at(-1);
}
