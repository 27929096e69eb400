import type { QueueHandle } from './backend.js';
import { countJobs } from './job-counts.js';

/** When the jobs of a queue that have waited longest were pushed. */
export async function waitingSince(queue: QueueHandle): Promise<number[]> {
  const ids = await Promise.all((['waiting', 'prioritized'] as const).map((type) => oldestOf(queue, type)));
  const jobs = await Promise.all(
    ids.map((id) => (id === undefined ? undefined : queue.getJob(id).catch(ignoreUnreadable))),
  );
  return jobs.flatMap((job) => (job ? [job.timestamp] : []));
}

/** BullMQ cannot show a job whose data is not JSON. Its worker takes it all the same. */
export function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error;
}

// How many may be taken between counting them and looking at the last.
const slack = 100;

/** Both engines list the newest first, and only Redis can be asked for the other end. */
async function oldestOf(queue: QueueHandle, type: 'waiting' | 'prioritized'): Promise<string | undefined> {
  const { [type]: count = 0 } = await countJobs(queue);
  if (count === 0) return undefined;
  const ids = await queue.getRanges([type], Math.max(0, count - slack), count + slack);
  return ids.at(-1);
}
