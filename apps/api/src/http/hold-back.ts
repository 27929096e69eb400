import type { Response } from 'express';

/** Waits for a while, or until the client is gone. */
export type HoldBack = (response: Response) => Promise<void>;

export type HoldBackOptions = {
  /** How long a refusal waits on average; from half of it to one and a half, so that they don't all end at once. */
  delayMs?: number | undefined;
  /** Refusals that wait at once; what is beyond is refused without delay. */
  maxHeld?: number;
};

/**
 * Delays the refusals of clients that call too often. One that calls again as soon as it is answered gets about one
 * answer a second on each of its connections, and answering takes little time from the calls of others.
 */
export function createHoldBack({ delayMs = 1_000, maxHeld = 1_000 }: HoldBackOptions = {}): HoldBack {
  let held = 0;
  return async (response) => {
    if (held >= maxHeld || response.destroyed) return;
    held++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs * (0.5 + Math.random()));
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    held--;
  };
}
