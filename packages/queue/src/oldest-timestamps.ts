import type { QueueHandle } from './queue-engine.js';
import { readFirstPrioritizedId, readOldestWaitingId } from './front-job.js';
import { countJobs } from './job-counts.js';

/**
 * Reads when the jobs at the front of a queue were pushed, which are the oldest ones unless jobs were reordered or have
 * the option `lifo`. One timestamp for each list of the queue (waiting, prioritized) whose front job exists and can be
 * read.
 */
export async function readOldestTimestamps(queue: QueueHandle): Promise<number[]> {
  const { waiting } = await countJobs(queue);
  const ids = await Promise.all([readOldestWaitingId(queue, waiting), readFirstPrioritizedId(queue)]);
  const jobs = await Promise.all(ids.map((id) => (id === null ? undefined : queue.getJob(id).catch(ignoreUnreadable))));
  return jobs.flatMap((job) => (job ? [job.timestamp] : []));
}

/**
 * Ignores the error of a job whose data is not JSON: event workers can read such a job, but BullMQ's Queue cannot.
 * Throws any other error.
 */
export function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}
