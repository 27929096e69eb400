import type { ReceiverHealth } from './receiver-health.js';

const initial = 4;
const min = 2;
const maxWhenSlow = 10;
const decreaseFactor = 1 / 2;

/**
 * Creates the rules for the concurrency limits of webhooks, in a worker with this `concurrency`. The rules have no
 * state.
 */
export function createAdaptiveLimit(concurrency: number) {
  const max = Math.max(min, Math.floor(concurrency / 4));
  return {
    initial: Math.min(initial, max),
    /**
     * Returns the limit after an attempt, by additive increase and multiplicative decrease (AIMD). An attempt that left
     * its receiver unresponsive halves the limit, but not below 2. Any other attempt raises the limit by one if all
     * permits were in use. The limit is at most a quarter of `concurrency`, or 2 if that is more. While the receiver is
     * slow, it is also at most 10.
     */
    next(limit: number, { health, wasAtLimit }: { health: ReceiverHealth; wasAtLimit: boolean }): number {
      if (health === 'unresponsive') return Math.max(min, Math.floor(limit * decreaseFactor));
      return Math.min(wasAtLimit ? limit + 1 : limit, health === 'slow' ? Math.min(maxWhenSlow, max) : max);
    },
  };
}
