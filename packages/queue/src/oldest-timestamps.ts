import type { QueueHandle } from './queue-engine.js';
import { countJobs } from './job-counts.js';

/**
 * Reads when the jobs at the front of a queue were pushed, which are the oldest ones unless jobs were reordered or have
 * the option `lifo`. One timestamp for each list of the queue (waiting, prioritized) whose front job exists and can be
 * read.
 */
export async function readOldestTimestamps(queue: QueueHandle): Promise<number[]> {
  const ids = await Promise.all((['waiting', 'prioritized'] as const).map((type) => readFrontId(queue, type)));
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

// Between the count and the read, up to this many jobs may be fetched, and as many pushed.
const maxChangesBetween = 100;

/**
 * The id of the job at the front of a list; undefined if the list is empty. Both engines list the newest job first, and
 * only Redis can list waiting jobs from the front.
 */
async function readFrontId(queue: QueueHandle, type: 'waiting' | 'prioritized'): Promise<string | undefined> {
  const { [type]: count = 0 } = await countJobs(queue);
  if (count === 0) return undefined;
  const ids = await queue.getRanges([type], Math.max(0, count - maxChangesBetween), count + maxChangesBetween);
  return ids.at(-1);
}
