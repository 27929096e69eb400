import type { Channel } from './event.js';
import { policyFor, type RetrySettings } from './policy.js';

/** The result of one call: a response, with its `Retry-After` in seconds if it has one, or a failure with its error code. */
export type Outcome =
  | { type: 'response'; status: number; retryAfterSeconds?: number }
  | { type: 'timeout' | 'dns' | 'connect' | 'tls' | 'reset' | 'refused' | 'protocol'; code: string };

/** What an outcome means for the delivery. */
export type Verdict = { type: 'delivered' } | { type: 'retry'; waitMs: number } | { type: 'failed' };

const successes: Record<Channel, (status: number) => boolean> = {
  sms: (status) => status === 200 || status === 202,
  rcs: (status) => status >= 200 && status <= 299,
};

/** Whether an outcome counts as success (behaviour: success). SMS: 200 and 202 only. RCS: any 2xx. */
export function isSuccess(channel: Channel, outcome: Outcome): boolean {
  return outcome.type === 'response' && successes[channel](outcome.status);
}

/** Decides what follows from the outcome of an attempt; `attempt` counts from 1. */
export function judge(channel: Channel, outcome: Outcome, attempt: number, settings: RetrySettings): Verdict {
  if (isSuccess(channel, outcome)) return { type: 'delivered' };
  const policy = policyFor(channel, settings);
  if (attempt >= policy.maxAttempts) return { type: 'failed' };
  return { type: 'retry', waitMs: policy.waitMs(attempt, requestedWaitSeconds(outcome, settings)) };
}

// The longest wait of the RCS schedule. A `Retry-After` above it is taken for a mistake.
const maxRequestedWaitSeconds = 100_000;

/** The wait that the receiver requested with `Retry-After`; 0 when there is none, or the setting is off. */
function requestedWaitSeconds(outcome: Outcome, { honorRetryAfter }: RetrySettings): number {
  if (!honorRetryAfter || outcome.type !== 'response' || ![429, 503].includes(outcome.status)) return 0;
  return Math.min(outcome.retryAfterSeconds ?? 0, maxRequestedWaitSeconds);
}
