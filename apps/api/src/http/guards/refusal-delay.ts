import type { Response } from 'express';

/**
 * Waits before a refusal (429) is sent. The wait ends early if the client disconnects. There is no wait if the client
 * has disconnected, or if `maxDelayed` refusals are waiting.
 */
export type DelayRefusal = (response: Response) => Promise<void>;

export type RefusalDelayOptions = {
  /** The average delay. Each delay is random, from 50% to 150% of the average, so that delays do not end together. */
  delayMs?: number | undefined;
  /** The maximum number of refusals that wait. The others are sent without delay. */
  maxDelayed?: number;
};

/**
 * Creates a delay for refusals. A client that exceeds a limit and retries at once then gets only about one response per
 * second and connection, so refusing it costs the process little.
 */
export function createRefusalDelay({ delayMs = 1_000, maxDelayed = 1_000 }: RefusalDelayOptions = {}): DelayRefusal {
  let delayedCount = 0;
  return async (response) => {
    if (delayedCount >= maxDelayed || response.destroyed) return;
    delayedCount++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs * (0.5 + Math.random()));
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    delayedCount--;
  };
}
