import { setTimeout as sleep } from 'node:timers/promises';
import type { Processor } from 'bullmq';
import { createRoundRobin, type WaitingEvent } from './round-robin.js';
import { isQueueUnavailable } from '../is-queue-unavailable.js';

/** The waiting jobs of an ingress queue, which can be reordered while workers fetch them. */
export type FairQueue = {
  /**
   * Reads up to `max` waiting jobs that have no position, oldest first. Reads none when fewer than `min` wait and no job
   * has a position. `lowest` is the lowest position of a waiting job; null when no job has one.
   */
  peek(bounds: { min: number; max: number }): Promise<{ events: WaitingEvent[]; lowest: number | null }>;
  /**
   * Gives positions to those of the jobs that still wait. Workers fetch jobs in the order of their positions, and before
   * jobs without one. Returns how many jobs got a position: 0 when another worker was faster.
   */
  reorder(positions: Map<string, number>): Promise<number>;
  /** Whether no job waits, as far as is known without a call; absent when that is never known. */
  isEmpty?(): boolean;
};

// Fewer than 50 jobs would be fetched before they are reordered. Reordering more than 500 would delay other clients of
// the engine.
const bounds = { min: 50, max: 500 };
const intervalMs = 25;

/**
 * Wraps a processor. While jobs wait, they are put into round-robin order between accounts and webhooks every 25 ms, so
 * that a flood of events for one account does not delay the events of others.
 */
export function withFairOrder(queue: FairQueue, processJob: Processor, onError: (error: Error) => void): Processor {
  const roundRobin = createRoundRobin();
  let isRunning = false;
  const reorderAll = async () => {
    for (;;) {
      const { events, lowest } = await queue.peek(bounds);
      const { positions, commit } = roundRobin.assign(events, lowest);
      if (events.length > 0 && (await queue.reorder(positions)) > 0) commit();
      if (events.length < bounds.max) return;
    }
  };
  const run = async () => {
    isRunning = true;
    try {
      await reorderAll();
    } catch (error) {
      // The jobs are then fetched in the order in which they were pushed.
      if (error instanceof Error && !isQueueUnavailable(error)) onError(error);
    }
    await sleep(intervalMs, undefined, { ref: false });
    isRunning = false;
  };
  return (...args) => {
    if (!isRunning && !queue.isEmpty?.()) void run();
    return processJob(...args);
  };
}
