import type { QueueHandle } from '../queue-engine.js';
import { readFirstPrioritizedId, readOldestActiveId, readOldestWaitingId } from '../front-job.js';
import { countJobs } from '../job-counts.js';

/**
 * The state of an event queue. If the next job is the same in two reads, workers probably fetched no job in between.
 */
export type EventQueueState = {
  /** The number of waiting jobs, including those of a paused queue. */
  waiting: number;
  /**
   * The id of the job that is fetched next; null if none waits. In Redis, it may instead be a job with a producer's
   * priority, although another job is fetched first.
   */
  next: string | null;
  /**
   * The id of the job that has been active for longest; null if none is active. On PostgreSQL, a reordered job that is
   * active comes before jobs without a position.
   */
  active: string | null;
  /** Why workers fetch no jobs, or fewer than they could: settings by a BullMQ client, or an overwritten key. */
  fetchBlockers: string[];
  /**
   * Whether a job has overwritten one of BullMQ's own keys. The other values, except `fetchBlockers`, are then unknown.
   */
  isKeyOverwritten: boolean;
};

export type EventQueue = Pick<
  QueueHandle,
  'getJobCounts' | 'getRanges' | 'isPaused' | 'getGlobalConcurrency' | 'getGlobalRateLimit'
>;

/** Reads the state of a queue. It succeeds even while one of BullMQ's own keys is overwritten. */
export async function readEventQueueState(queue: EventQueue): Promise<EventQueueState> {
  try {
    const { waiting = 0, prioritized = 0 } = await countJobs(queue);
    const [waitingId, prioritizedId, active, fetchBlockers] = await Promise.all([
      readOldestWaitingId(queue, waiting),
      readFirstPrioritizedId(queue),
      readOldestActiveId(queue),
      readFetchBlockers(queue),
    ]);
    const next = prioritizedId ?? waitingId;
    return { waiting: waiting + prioritized, next, active, fetchBlockers, isKeyOverwritten: false };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('WRONGTYPE')) throw error;
    // The name of the key does not matter here: a worker restores the key and reports its name.
    const fetchBlockers = ["a key of BullMQ's own was overwritten"];
    return { waiting: 0, next: null, active: null, fetchBlockers, isKeyOverwritten: true };
  }
}

/** Lists the settings, made by a BullMQ client, that stop or limit workers. Empty if there are none. */
export async function readFetchBlockers(
  queue: Pick<EventQueue, 'isPaused' | 'getGlobalConcurrency' | 'getGlobalRateLimit'>,
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
