import type { QueueHandle } from './backend.js';

const states = ['waiting', 'paused', 'prioritized', 'delayed', 'active', 'completed', 'failed'] as const;

/** How many jobs a queue has in each state. What waits in a queue that is paused waits, whatever the engine calls it. */
export async function countJobs(queue: Pick<QueueHandle, 'getJobCounts'>): Promise<Record<string, number>> {
  const { paused = 0, waiting = 0, ...others } = await queue.getJobCounts(...states);
  return { ...others, waiting: waiting + paused };
}

/** The counts of several queues together. */
export function sumUp(counts: Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [state, count] of counts.flatMap((one) => Object.entries(one))) sum[state] = (sum[state] ?? 0) + count;
  return sum;
}
