import type { Response } from 'express';

/** Refusals that are held back at once; what is beyond is refused without delay. */
const maxHeld = 1_000;
export const holdMs = 1_000;

/** Waits for a second, or until the client is gone. */
export type HoldBack = (response: Response) => Promise<void>;

/**
 * Delays the refusals of clients that call too often. One that calls again as soon as it is answered gets an answer a
 * second on each of its connections, whose making takes no time from the calls of others.
 */
export function createHoldBack(ms = holdMs): HoldBack {
  let held = 0;
  return async (response) => {
    if (held >= maxHeld || response.destroyed) return;
    held++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    held--;
  };
}
