import type { QueueHandle } from '../queue-engine.js';
import { countJobs } from '../job-counts.js';

/** The state of an ingress queue. If two reads find the same next job, workers fetched no job in between. */
export type IngressState = {
  /** The number of waiting jobs, including those of a paused queue. */
  waiting: number;
  /** The job that is fetched next, and the job that has been active for longest; null when there is none. */
  next: string | null;
  active: string | null;
  /** Settings that stop or limit workers: an operator can change them with a BullMQ client. */
  obstacles: string[];
};

export type IngressQueue = Pick<
  QueueHandle,
  'getJobCounts' | 'getRanges' | 'isPaused' | 'getGlobalConcurrency' | 'getGlobalRateLimit'
>;

/** Reads the state of a queue, even while one of BullMQ's own keys is overwritten. */
export async function readIngressState(queue: IngressQueue): Promise<IngressState> {
  try {
    const [{ waiting = 0, prioritized = 0 }, [next = null], [prioritizedNext = null], [active = null], obstacles] =
      await Promise.all([
        countJobs(queue),
        queue.getRanges(['waiting'], 0, 0, true),
        queue.getRanges(['prioritized'], 0, 0, true),
        queue.getRanges(['active'], 0, 0, true),
        readObstacles(queue),
      ]);
    return { waiting: waiting + prioritized, next: prioritizedNext ?? next, active, obstacles };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('WRONGTYPE')) throw error;
    // A worker finds out which key it is, and restores it.
    return { waiting: 0, next: null, active: null, obstacles: ["a key of BullMQ's own was overwritten"] };
  }
}

/** Reads what stops or limits workers. */
export async function readObstacles(
  queue: Pick<IngressQueue, 'isPaused' | 'getGlobalConcurrency' | 'getGlobalRateLimit'>,
): Promise<string[]> {
  const [isPaused, concurrency, limit] = await Promise.all([
    queue.isPaused(),
    queue.getGlobalConcurrency(),
    queue.getGlobalRateLimit(),
  ]);
  return [
    ...(isPaused ? ['the queue is paused'] : []),
    ...(concurrency === null ? [] : [`the queue has a global concurrency of ${concurrency}`]),
    ...(limit === null ? [] : [`the queue has a rate limit of ${limit.max} in ${limit.duration} ms`]),
  ];
}
