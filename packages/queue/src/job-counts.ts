import type { QueueHandle } from './queue-engine.js';

const states = ['waiting', 'paused', 'prioritized', 'delayed', 'active', 'completed', 'failed'] as const;

/**
 * Counts the jobs of a queue by state, without `waiting-children`. Jobs that wait in a paused queue count as `waiting`
 * on both engines.
 */
export async function countJobs(queue: Pick<QueueHandle, 'getJobCounts'>): Promise<Record<string, number>> {
  const { paused = 0, waiting = 0, ...others } = await queue.getJobCounts(...states);
  return { ...others, waiting: waiting + paused };
}
