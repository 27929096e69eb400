import { ignoreUnreadable, type QueueHandle } from './engine.js';

/** How a queue is doing. `/readyz`, the metrics and the operator's commands all read it here. */
export type QueueHealth = {
  /** The number of waiting jobs, including those of a paused queue and those with a priority. */
  waiting: number;
  delayed: number;
  active: number;
  failed: number;
  completed: number;
  /**
   * When the oldest waiting job was pushed, by its producer's clock; null if none waits. May be the time of a newer job
   * if jobs have priorities or the option `lifo`.
   */
  oldestWaitingAt: Date | null;
  isPaused: boolean;
  /** Settings, made by a BullMQ client, that stop or limit workers. Empty if there are none. */
  limits: string[];
};

export type JobCounts = Pick<QueueHealth, 'waiting' | 'delayed' | 'active' | 'failed' | 'completed'>;

const states = ['waiting', 'paused', 'prioritized', 'delayed', 'active', 'completed', 'failed'] as const;

/** Counts the jobs of a queue by state, without `waiting-children`. */
export async function countJobs(queue: Pick<QueueHandle, 'getJobCounts'>): Promise<JobCounts> {
  const counts = await queue.getJobCounts(...states);
  const { paused = 0, waiting = 0, prioritized = 0, delayed = 0, active = 0, failed = 0, completed = 0 } = counts;
  return { waiting: waiting + paused + prioritized, delayed, active, failed, completed };
}

export async function readQueueHealth(queue: QueueHandle): Promise<QueueHealth> {
  const [counts, isPaused, concurrency, limit] = await Promise.all([
    countJobs(queue),
    queue.isPaused(),
    queue.getGlobalConcurrency(),
    queue.getGlobalRateLimit(),
  ]);
  const limits = [
    ...(isPaused ? ['the queue is paused'] : []),
    ...(concurrency === null ? [] : [`the queue has a global concurrency of ${concurrency}`]),
    ...(limit === null ? [] : [`the queue has a rate limit of ${limit.max} in ${limit.duration} ms`]),
  ];
  return { ...counts, oldestWaitingAt: await readOldestWaitingAt(queue, counts), isPaused, limits };
}

// Between the count and the read, up to this many jobs may be fetched.
const maxFetchedBetween = 100;

/**
 * Both engines list the newest job first, and on PostgreSQL a range always counts from the newest. So the oldest job is
 * the last one from a position that the count gives.
 */
async function readOldestWaitingAt(queue: QueueHandle, { waiting }: JobCounts): Promise<Date | null> {
  if (waiting === 0) return null;
  const ids = await Promise.all([
    queue.getRanges(['waiting'], Math.max(0, waiting - maxFetchedBetween), -1).then((range) => range.at(-1)),
    queue.getRanges(['prioritized'], 0, 0, true).then((range) => range[0]),
  ]);
  const jobs = await Promise.all(
    ids.map((id) => (id === undefined ? undefined : queue.getJob(id).catch(ignoreUnreadable))),
  );
  const oldest = Math.min(...jobs.flatMap((job) => (job ? [job.timestamp] : [])));
  return Number.isFinite(oldest) ? new Date(oldest) : null;
}
