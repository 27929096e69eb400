import type { QueueHandle } from './backend.js';
import { countJobs } from './job-counts.js';

/** The times at which the oldest waiting jobs of a queue were pushed, one for each list that has jobs. */
export async function readOldestTimestamps(queue: QueueHandle): Promise<number[]> {
  const ids = await Promise.all((['waiting', 'prioritized'] as const).map((type) => oldestOf(queue, type)));
  const jobs = await Promise.all(
    ids.map((id) => (id === undefined ? undefined : queue.getJob(id).catch(ignoreUnreadable))),
  );
  return jobs.flatMap((job) => (job ? [job.timestamp] : []));
}

/** BullMQ cannot read a job whose data is not JSON. Workers can take it. */
export function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}

// Jobs that may be taken between the count and the read.
const maxTakenMeanwhile = 100;

/** Both engines list the newest first, and only Redis can list from the other end. */
async function oldestOf(queue: QueueHandle, type: 'waiting' | 'prioritized'): Promise<string | undefined> {
  const { [type]: count = 0 } = await countJobs(queue);
  if (count === 0) return undefined;
  const ids = await queue.getRanges([type], Math.max(0, count - maxTakenMeanwhile), count + maxTakenMeanwhile);
  return ids.at(-1);
}
