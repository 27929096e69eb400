import type { Channel } from './event.js';
import { policyFor, type RetrySettings } from './policy.js';

/**
 * What came back from one call: a status, with the seconds that a `Retry-After` asked for, or how it went wrong with the
 * code of the failure.
 */
export type Outcome =
  | { type: 'response'; status: number; retryAfterS?: number }
  | { type: 'timeout' | 'dns' | 'connect' | 'tls' | 'reset' | 'refused' | 'protocol'; code: string };

/** What an outcome means for the delivery. */
export type Verdict = { type: 'delivered' } | { type: 'retry'; waitMs: number } | { type: 'failed' };

const successes: Record<Channel, (status: number) => boolean> = {
  sms: (status) => status === 200 || status === 202,
  rcs: (status) => status >= 200 && status <= 299,
};

/** Whether the receiver took the callback (behaviour: success). SMS: 200 and 202 only. RCS: any 2xx. */
export function isSuccess(channel: Channel, outcome: Outcome): boolean {
  return outcome.type === 'response' && successes[channel](outcome.status);
}

/** Judges the `attempt`-th attempt of a delivery; 1 is the first. */
export function judge(channel: Channel, outcome: Outcome, attempt: number, settings: RetrySettings): Verdict {
  if (isSuccess(channel, outcome)) return { type: 'delivered' };
  const policy = policyFor(channel, settings);
  if (attempt >= policy.attempts) return { type: 'failed' };
  return { type: 'retry', waitMs: policy.waitMs(attempt, askedS(outcome, settings)) };
}

// A receiver that asks for years has made a mistake: no wait is longer than the longest of the schedules.
const longestAskedS = 100_000;

/** The wait that the receiver asked for, in seconds; 0 when it did not, or nobody listens. */
function askedS(outcome: Outcome, { retryAfter }: RetrySettings): number {
  if (!retryAfter || outcome.type !== 'response' || ![429, 503].includes(outcome.status)) return 0;
  return Math.min(outcome.retryAfterS ?? 0, longestAskedS);
}
