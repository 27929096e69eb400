import type { Channel } from './event.js';
import { retryPolicyFor, type RetrySettings } from './retry-policy.js';

/**
 * The result of an attempt: a response, with the seconds of its `Retry-After` if it has one, or an error with its code.
 */
export type Outcome =
  | { type: 'response'; status: number; retryAfterSeconds?: number }
  | { type: 'timeout' | 'dns' | 'connect' | 'tls' | 'reset' | 'refused' | 'protocol'; code: string };

/** What an outcome means for the delivery. */
export type Verdict = { type: 'delivered' } | { type: 'retry'; waitMs: number } | { type: 'failed' };

const successes: Record<Channel, (status: number) => boolean> = {
  sms: (status) => status === 200 || status === 202,
  rcs: (status) => status >= 200 && status <= 299,
};

/** Whether an outcome counts as success (docs/reference/callbacks.md#success). SMS: 200 and 202 only. RCS: any 2xx. */
export function isSuccess(channel: Channel, outcome: Outcome): boolean {
  return outcome.type === 'response' && successes[channel](outcome.status);
}

/** Gives the verdict on the outcome of an attempt. `attemptNumber` starts at 1. */
export function judge(channel: Channel, outcome: Outcome, attemptNumber: number, settings: RetrySettings): Verdict {
  if (isSuccess(channel, outcome)) return { type: 'delivered' };
  const policy = retryPolicyFor(channel, settings);
  if (attemptNumber >= policy.maxAttempts) return { type: 'failed' };
  return { type: 'retry', waitMs: policy.waitMs(attemptNumber, requestedWaitSeconds(outcome, settings)) };
}

// The longest wait of the specification's RCS schedule. A longer `Retry-After` is treated as a mistake and reduced to
// it.
const maxRequestedWaitSeconds = 100_000;

/**
 * The wait that the receiver requested with `Retry-After` in a 429 or 503. It is 0 for any other outcome, without that
 * header, or if the setting is off.
 */
function requestedWaitSeconds(outcome: Outcome, { honorRetryAfter }: RetrySettings): number {
  if (!honorRetryAfter || outcome.type !== 'response' || ![429, 503].includes(outcome.status)) return 0;
  return Math.min(outcome.retryAfterSeconds ?? 0, maxRequestedWaitSeconds);
}
