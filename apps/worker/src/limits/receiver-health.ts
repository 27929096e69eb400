/**
 * How quickly attempts to a receiver end, not whether they succeed: a refused connection is healthy, because it does
 * not hold a permit for long. Judged by the last attempt of its webhook that ended, and by those in flight.
 *
 * - `healthy`: the last attempt ended in less than 500 ms, with or without a response.
 * - `slow`: the last attempt ended with a response after 500 ms or more.
 * - `unresponsive`: the last attempt ended without a response after 500 ms or more, or an attempt in flight has lasted
 *   for `unresponsiveMs`.
 */
export type ReceiverHealth = 'healthy' | 'slow' | 'unresponsive';

/** How long an attempt took. `hasResponse` is false after a timeout or any other failure without a response. */
export type AttemptTiming = { durationMs: number; hasResponse: boolean };

const slowMs = 500;

// After this time in flight, an attempt makes a receiver of this health unresponsive. A slow one gets more time.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

/** The health of a receiver after an attempt has ended. */
export function healthAfter({ durationMs, hasResponse }: AttemptTiming): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return hasResponse ? 'slow' : 'unresponsive';
}

/** Whether a receiver of this health becomes unresponsive because an attempt has been in flight for this long. */
export const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];

const limits = { initial: 4, min: 2, maxWhenSlow: 10 };

/** The highest limit of a webhook in a worker with this `concurrency`. */
const maxLimit = (concurrency: number) => Math.max(limits.min, Math.floor(concurrency / 4));

/** The limit of a webhook without attempts yet. */
export const initialLimit = (concurrency: number): number => Math.min(limits.initial, maxLimit(concurrency));

/**
 * The next limit of a webhook, by additive increase and multiplicative decrease (AIMD). An attempt that left the
 * receiver unresponsive halves it, to no less than 2. Any other raises it by one if all permits were in use, to at most
 * a quarter of `concurrency` (or 2), and to 10 while the receiver is slow.
 */
export function nextLimit(
  limit: number,
  { health, wasAtLimit, concurrency }: { health: ReceiverHealth; wasAtLimit: boolean; concurrency: number },
): number {
  if (health === 'unresponsive') return Math.max(limits.min, Math.floor(limit / 2));
  const max = health === 'slow' ? Math.min(limits.maxWhenSlow, maxLimit(concurrency)) : maxLimit(concurrency);
  return Math.min(wasAtLimit ? limit + 1 : limit, max);
}

/** Counts what a receiver took, in the current second and in the one before: two numbers for each busy webhook. */
export class TakenCount {
  #second = -Infinity;
  #count = 0;
  #previousCount = 0;

  add(nowMs: number): void {
    this.#advance(nowMs);
    this.#count++;
  }

  /** How many were taken in the second before `nowMs`, if what was taken before the current second came evenly. */
  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    return this.#count + this.#previousCount * (1 - (nowMs / 1_000 - this.#second));
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second === this.#second) return;
    this.#previousCount = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
