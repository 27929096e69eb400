import type { QueueHandle } from './backend.js';

const states = ['waiting', 'paused', 'prioritized', 'delayed', 'active', 'completed', 'failed'] as const;

/** How many jobs a queue has in each state. What waits in a queue that is paused waits, whatever the engine calls it. */
export async function countJobs(queue: Pick<QueueHandle, 'getJobCounts'>): Promise<Record<string, number>> {
  const { paused = 0, waiting = 0, ...others } = await queue.getJobCounts(...states);
  return { ...others, waiting: waiting + paused };
}
