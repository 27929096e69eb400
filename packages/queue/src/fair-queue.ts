import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from 'bullmq';
import { createRoundRobin, type WaitingEvent } from './round-robin.js';
import { isQueueUnavailable } from './unavailable.js';

/** The waiting jobs of an ingress queue, which can be reordered while workers take them. */
export type FairQueue = {
  /**
   * The oldest waiting jobs without a position, oldest first, at most `max`; none if fewer than `min` wait and no job has a
   * position. `first` is the lowest position of a waiting job.
   */
  peek(bounds: { min: number; max: number }): Promise<{ events: WaitingEvent[]; first: number | null }>;
  /**
   * Gives jobs that still wait their positions. They are taken in this order, and before jobs without a position. Returns
   * the number of jobs that got one: 0 when another worker was faster.
   */
  reorder(positions: Map<string, number>): Promise<number>;
};

// Fewer than 50 jobs are taken before they could be reordered. More than 500 at once would delay other users of the engine.
const bounds = { min: 50, max: 500 };
const intervalMs = 25;

/**
 * Wraps a processor. While it has work, waiting jobs are reordered round-robin between accounts and webhooks every 25 ms,
 * so that the flood of one account does not delay the events of others.
 */
export function processFairly(queue: FairQueue, process: Processor, onError: (error: Error) => void): Processor {
  const roundRobin = createRoundRobin();
  let isRunning = false;
  const reorderAll = async () => {
    for (;;) {
      const { events, first } = await queue.peek(bounds);
      const { positions, commit } = roundRobin.assign(events, first);
      if (events.length > 0 && (await queue.reorder(positions)) > 0) commit();
      if (events.length < bounds.max) return;
    }
  };
  const run = async () => {
    isRunning = true;
    try {
      await reorderAll();
    } catch (error) {
      // The jobs are then taken in the order in which they were pushed.
      if (error instanceof Error && !isQueueUnavailable(error)) onError(error);
    }
    await sleep(intervalMs, undefined, { ref: false });
    isRunning = false;
  };
  return (...words) => {
    if (!isRunning) void run();
    return process(...words);
  };
}
