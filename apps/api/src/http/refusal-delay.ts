import type { Response } from 'express';

/** Waits before a refusal is sent; the wait ends early when the client disconnects. */
export type DelayRefusal = (response: Response) => Promise<void>;

export type RefusalDelayOptions = {
  /** The average delay. Each one is random, from half to one and a half of it, so that they do not end together. */
  delayMs?: number | undefined;
  /** The maximum number of refusals that wait; further ones are sent without delay. */
  maxDelayed?: number;
};

/**
 * Creates a delay for the refusals (429) of clients that exceed a limit. A client that repeats its calls at once then gets
 * about one response per second and connection, so that refusing it costs the process little.
 */
export function createRefusalDelay({ delayMs = 1_000, maxDelayed = 1_000 }: RefusalDelayOptions = {}): DelayRefusal {
  let delayed = 0;
  return async (response) => {
    if (delayed >= maxDelayed || response.destroyed) return;
    delayed++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs * (0.5 + Math.random()));
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    delayed--;
  };
}
