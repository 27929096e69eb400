import type { ReceiverHealth } from './receiver-health.js';

const initial = 4;
const min = 2;
const maxSlow = 10;
const decrease = 1 / 2;

/** The bounds of the limit of one webhook when a worker has at most `calls` calls in flight. */
export function createConcurrencyLimit(calls: number) {
  const max = Math.max(min, Math.floor(calls / 4));
  return {
    initial: Math.min(initial, max),
    /**
     * The limit after a call (AIMD): halved when the receiver is unresponsive, else one more when the limit was reached.
     * It stays within 2 and a quarter of `calls`; within 10 for a slow receiver.
     */
    next(limit: number, { health, wasReached }: { health: ReceiverHealth; wasReached: boolean }): number {
      if (health === 'unresponsive') return Math.max(min, Math.floor(limit * decrease));
      return Math.min(wasReached ? limit + 1 : limit, health === 'slow' ? Math.min(maxSlow, max) : max);
    },
  };
}
