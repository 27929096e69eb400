import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from 'bullmq';
import { createRoundRobin, type WaitingJob } from './round-robin.js';
import { isQueueUnavailable } from '../is-queue-unavailable.js';

/**
 * The waiting jobs of an event queue, which can be reordered while workers fetch them. A reordered job has a
 * _position_, a whole number from 1. Workers fetch the job with the lowest position first, and jobs without a position
 * last. In Redis the position is the job's score in BullMQ's sorted set `prioritized`, below `minPriorityScore`. In
 * PostgreSQL it is stored in BullMQ's column `seq`.
 */
export type FairQueue = {
  /**
   * Reads up to `max` waiting jobs that have no position, in the order in which workers would fetch them. Reads none if
   * fewer than `min` of them wait and no job has a position (in Redis: or a producer's priority). `lowestPosition` is
   * the lowest position of any waiting job; null if none has one. On PostgreSQL, `peek` leaves out jobs with the option
   * `lifo`, and also writes: it removes the priorities that producers set.
   */
  peek(bounds: { min: number; max: number }): Promise<{ jobs: WaitingJob[]; lowestPosition: number | null }>;
  /**
   * Gives positions (by job id) to the jobs that still wait without one. Returns the number of jobs that got a
   * position: 0 if other workers fetched or reordered all of them.
   */
  reorder(positions: Map<string, number>): Promise<number>;
  /** Whether this process already knows that the queue is empty. Absent if only a call to the engine could tell. */
  isEmpty?(): boolean;
};

// Fewer than 50 jobs would be fetched before they are reordered. Reordering more than 500 at once would delay other
// clients of the engine.
const bounds = { min: 50, max: 500 };
const coolDownMs = 25;

/**
 * Wraps the processor of an event queue. A job that starts triggers a reordering, unless another is running or ended
 * less than 25 ms ago: the waiting jobs are put into round-robin order between accounts and webhooks. So a flood of
 * events for one account does not delay the events of others. `onError` gets the errors of reorderings, except that the
 * engine is unavailable.
 */
export function withFairOrder(queue: FairQueue, processJob: Processor, onError: (error: Error) => void): Processor {
  const roundRobin = createRoundRobin();
  let mayReorder = true;
  const reorderAll = async () => {
    for (;;) {
      const { jobs, lowestPosition } = await queue.peek(bounds);
      const { positions, commit } = roundRobin.assign(jobs, lowestPosition);
      if (jobs.length > 0 && (await queue.reorder(positions)) > 0) commit();
      if (jobs.length < bounds.max) return;
    }
  };
  const reorderThenCoolDown = async () => {
    mayReorder = false;
    try {
      await reorderAll();
    } catch (error) {
      // The jobs that were not reordered are fetched in the order in which they were pushed.
      if (error instanceof Error && !isQueueUnavailable(error)) onError(error);
    }
    await sleep(coolDownMs, undefined, { ref: false });
    mayReorder = true;
  };
  return (...args) => {
    if (mayReorder && !queue.isEmpty?.()) void reorderThenCoolDown();
    return processJob(...args);
  };
}
