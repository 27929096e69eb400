import type { Channel } from './event.js';

export type RetrySettings = {
  /** Attempts after the first one. */
  smsRetries: number;
  smsRetryIntervalSeconds: number;
  rcsRetries: number;
  rcsRetryMaxSeconds: number;
  /** A factor for every wait. */
  timeScale: number;
  /** Whether the `Retry-After` of a 429 or 503 may extend a wait. */
  honorRetryAfter: boolean;
};

export const defaultRetrySettings: RetrySettings = {
  smsRetries: 3,
  smsRetryIntervalSeconds: 1_800,
  rcsRetries: 2,
  rcsRetryMaxSeconds: 100_000,
  timeScale: 1,
  honorRetryAfter: false,
};

export type Policy = {
  maxAttempts: number;
  /**
   * The wait from the end of the n-th failed attempt to the next one: a whole number of milliseconds from 0 to 10^8. It is
   * at least `minSeconds`, 0 when absent.
   */
  waitMs(failedAttempts: number, minSeconds?: number): number;
};

const maxWaitMs = 100_000_000;
const toMs = (seconds: number, scale: number) => {
  const ms = Math.round(seconds * 1_000 * scale);
  return ms >= 0 ? Math.min(ms, maxWaitMs) : Number.isNaN(ms) ? maxWaitMs : 0;
};

/** Settings for a single attempt. */
export const noRetries: RetrySettings = { ...defaultRetrySettings, smsRetries: 0, rcsRetries: 0 };

/**
 * The retry rules (behaviour: retries). SMS waits the same interval each time. RCS waits min(10^n, maximum) seconds after
 * the n-th failed attempt: 10, 100, 1,000, 10,000, 100,000, 100,000 … There is no jitter: the specification gives exact
 * values.
 */
export function policyFor(channel: Channel, settings: RetrySettings): Policy {
  const { smsRetries, smsRetryIntervalSeconds, rcsRetries, rcsRetryMaxSeconds, timeScale } = settings;
  const policies: Record<Channel, Policy> = {
    sms: {
      maxAttempts: smsRetries + 1,
      waitMs: (_n, minSeconds = 0) => toMs(Math.max(smsRetryIntervalSeconds, minSeconds), timeScale),
    },
    rcs: {
      maxAttempts: rcsRetries + 1,
      waitMs: (n, minSeconds = 0) => toMs(Math.max(Math.min(10 ** n, rcsRetryMaxSeconds), minSeconds), timeScale),
    },
  };
  return policies[channel];
}
