import type { Channel } from './event.js';

export type RetrySettings = {
  /** Attempts after the first. */
  smsRetries: number;
  smsRetryIntervalS: number;
  rcsRetries: number;
  rcsRetryMaxS: number;
  /** Multiplies every wait. */
  timeScale: number;
  /** Whether a 429 or 503 with a `Retry-After` that asks for longer than the schedule is waited for. */
  retryAfter: boolean;
};

export const defaultRetrySettings: RetrySettings = {
  smsRetries: 3,
  smsRetryIntervalS: 1_800,
  rcsRetries: 2,
  rcsRetryMaxS: 100_000,
  timeScale: 1,
  retryAfter: false,
};

export type Policy = {
  /** How many attempts in all. */
  attempts: number;
  /**
   * The wait after the n-th attempt failed, in ms, from its end: a whole number in [0, 10^8]. At least `leastS` seconds,
   * 0 when absent.
   */
  waitMs(failedAttempts: number, leastS?: number): number;
};

const longestMs = 100_000_000;
const toMs = (seconds: number, scale: number) => {
  const ms = Math.round(seconds * 1_000 * scale);
  return ms >= 0 ? Math.min(ms, longestMs) : Number.isNaN(ms) ? longestMs : 0;
};

/** One attempt, and none after it. */
export const noRetries: RetrySettings = { ...defaultRetrySettings, smsRetries: 0, rcsRetries: 0 };

/**
 * The retry rules (behaviour: retries). SMS: the same interval each time. RCS: min(10^n, maximum) seconds after the
 * n-th failed attempt: 10, 100, 1,000, 10,000, 100,000, 100,000 … No jitter: the specification gives exact values.
 */
export function policyFor(channel: Channel, settings: RetrySettings): Policy {
  const { smsRetries, smsRetryIntervalS, rcsRetries, rcsRetryMaxS, timeScale } = settings;
  const policies: Record<Channel, Policy> = {
    sms: {
      attempts: smsRetries + 1,
      waitMs: (_n, leastS = 0) => toMs(Math.max(smsRetryIntervalS, leastS), timeScale),
    },
    rcs: {
      attempts: rcsRetries + 1,
      waitMs: (n, leastS = 0) => toMs(Math.max(Math.min(10 ** n, rcsRetryMaxS), leastS), timeScale),
    },
  };
  return policies[channel];
}
