import type { ReceiverHealth } from './receiver-health.js';

const initial = 4;
const min = 2;
const maxWhenSlow = 10;
const decreaseFactor = 1 / 2;

/** The rules for the concurrency limit of each webhook in a worker with this `concurrency`. They hold no state. */
export function createAdaptiveLimit(concurrency: number) {
  const max = Math.max(min, Math.floor(concurrency / 4));
  return {
    initial: Math.min(initial, max),
    /**
     * Returns the limit after an attempt, by additive increase and multiplicative decrease (AIMD). An attempt that left its
     * receiver unresponsive halves the limit, to no less than 2. After any other, the limit rises by one if the webhook was
     * at it, up to a quarter of `concurrency`. While the receiver is slow, the limit is at most 10: a higher one drops to
     * 10.
     */
    next(limit: number, { health, wasAtLimit }: { health: ReceiverHealth; wasAtLimit: boolean }): number {
      if (health === 'unresponsive') return Math.max(min, Math.floor(limit * decreaseFactor));
      return Math.min(wasAtLimit ? limit + 1 : limit, health === 'slow' ? Math.min(maxWhenSlow, max) : max);
    },
  };
}
