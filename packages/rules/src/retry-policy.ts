import type { Channel } from './event.js';

/** The settings of the retry rules, as the environment gives them. */
export type RetrySettings = {
  /** The number of attempts after the first one, here and in `rcsRetries`. */
  smsRetries: number;
  smsRetryIntervalSeconds: number;
  rcsRetries: number;
  rcsMaxRetryDelaySeconds: number;
  /** Every wait is multiplied by this factor. */
  timeScale: number;
  /** Whether the `Retry-After` of a 429 or 503 may extend a wait. */
  honorRetryAfter: boolean;
};

/** How often and when a delivery of one channel is attempted. */
export type RetryPolicy = {
  /** All attempts, with the first one. */
  maxAttempts: number;
  /**
   * The wait from the end of a failed attempt to the next one: a whole number of milliseconds from 0 to 10^8. If the
   * receiver requested a longer wait, `requestedSeconds`, that one applies. The wait is then scaled and bounded.
   */
  waitMs(failedAttempts: number, requestedSeconds?: number): number;
};

/** The retry policy never waits longer, whatever the settings and a receiver's `Retry-After`. */
export const maxRetryWaitSeconds = 100_000;
const maxWaitMs = maxRetryWaitSeconds * 1_000;

function toWaitMs(seconds: number, scale: number): number {
  const ms = Math.round(seconds * 1_000 * scale);
  // If the input is not a number, wait for the maximum: a wait of 0 would use up all attempts at once.
  if (Number.isNaN(ms)) return maxWaitMs;
  return Math.min(Math.max(ms, 0), maxWaitMs);
}

/**
 * The retry settings of docs/reference/callbacks.md. The environment may change them
 * (`packages/process/src/variables.ts`).
 */
export const defaultRetrySettings: RetrySettings = {
  smsRetries: 3,
  smsRetryIntervalSeconds: 1_800,
  rcsRetries: 2,
  rcsMaxRetryDelaySeconds: maxRetryWaitSeconds,
  timeScale: 1,
  honorRetryAfter: false,
};

export const noRetries: RetrySettings = { ...defaultRetrySettings, smsRetries: 0, rcsRetries: 0 };

/**
 * The retry policy of a channel (docs/reference/callbacks.md#retries). SMS waits the same interval each time. RCS waits
 * 10^n seconds after the n-th failed attempt, up to a maximum: 10, 100, 1,000, 10,000, 100,000, 100,000 … There is no
 * jitter, because docs/reference/callbacks.md gives fixed values.
 */
export function retryPolicyFor(channel: Channel, settings: RetrySettings): RetryPolicy {
  const { smsRetries, smsRetryIntervalSeconds, rcsRetries, rcsMaxRetryDelaySeconds, timeScale } = settings;
  const policies: Record<Channel, RetryPolicy> = {
    sms: {
      maxAttempts: smsRetries + 1,
      waitMs: (_failedAttempts, requestedSeconds = 0) =>
        toWaitMs(Math.max(smsRetryIntervalSeconds, requestedSeconds), timeScale),
    },
    rcs: {
      maxAttempts: rcsRetries + 1,
      waitMs: (failedAttempts, requestedSeconds = 0) =>
        toWaitMs(Math.max(Math.min(10 ** failedAttempts, rcsMaxRetryDelaySeconds), requestedSeconds), timeScale),
    },
  };
  return policies[channel];
}
