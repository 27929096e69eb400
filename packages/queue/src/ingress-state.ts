import type { QueueHandle } from './backend.js';
import { countJobs } from './job-counts.js';

/** How an ingress queue stands. Two looks that find the same job in front say that nothing was taken between them. */
export type IngressState = {
  /** How many jobs could be taken, or could if the queue were not paused. */
  waiting: number;
  /** The job that is taken next, and the one that a worker has had for longest; null when there is none. */
  next: string | null;
  active: string | null;
  /** What keeps workers from taking jobs, set by somebody with a BullMQ client. */
  obstacles: string[];
};

export type IngressQueue = Pick<
  QueueHandle,
  'getJobCounts' | 'getRanges' | 'isPaused' | 'getGlobalConcurrency' | 'getGlobalRateLimit'
>;

/** Reads how a queue stands, whatever was done to it. */
export async function readIngressState(queue: IngressQueue): Promise<IngressState> {
  try {
    const [{ waiting = 0, prioritized = 0 }, [next = null], [placed = null], [active = null], obstacles] =
      await Promise.all([
        countJobs(queue),
        queue.getRanges(['waiting'], 0, 0, true),
        queue.getRanges(['prioritized'], 0, 0, true),
        queue.getRanges(['active'], 0, 0, true),
        readObstacles(queue),
      ]);
    return { waiting: waiting + prioritized, next: placed ?? next, active, obstacles };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('WRONGTYPE')) throw error;
    // Which one it is, a worker finds out and mends.
    return { waiting: 0, next: null, active: null, obstacles: ["a key of BullMQ's own was overwritten"] };
  }
}

/** What keeps workers from taking jobs. */
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
