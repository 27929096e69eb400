import type { Channel } from './event.js';
import { maxRetryWaitSeconds, retryPolicyFor, type RetrySettings } from './retry-policy.js';

/** What a receiver's certificate says, for the advice after a failed verification. Times are ISO 8601. */
export type Certificate = { names: string[]; issuer: string | null; validFrom: string; validTo: string };

/**
 * The result of an attempt: a response, with the seconds of its `Retry-After` if it has one, or an error with its code,
 * and for `tls` the certificate if one was received. `phase` is for the advice: the connection broke in the TLS
 * handshake, or a proxy had the request, which may not have reached the receiver.
 */
export type Outcome =
  | { type: 'response'; status: number; retryAfterSeconds?: number }
  | {
      type: 'timeout' | 'dns' | 'connect' | 'tls' | 'reset' | 'refused' | 'protocol';
      code: string;
      certificate?: Certificate;
      phase?: 'tls' | 'forwarding';
    };

/** What an outcome means for the delivery. `waitMs` is the time until the next attempt. */
export type Verdict = { type: 'delivered' } | { type: 'retry'; waitMs: number } | { type: 'failed' };

const successes: Record<Channel, (status: number) => boolean> = {
  sms: (status) => status === 200 || status === 202,
  rcs: (status) => status >= 200 && status <= 299,
};

/** Whether an outcome counts as success (docs/reference/callbacks.md#success). SMS: 200 and 202 only. RCS: any 2xx. */
export function isSuccess(channel: Channel, outcome: Outcome): boolean {
  return outcome.type === 'response' && successes[channel](outcome.status);
}

/**
 * Decides what follows from the outcome of an attempt (docs/reference/callbacks.md#retries). The first attempt has the
 * number 1.
 */
export function judge(channel: Channel, outcome: Outcome, attemptNumber: number, settings: RetrySettings): Verdict {
  if (isSuccess(channel, outcome)) return { type: 'delivered' };
  const policy = retryPolicyFor(channel, settings);
  if (attemptNumber >= policy.maxAttempts) return { type: 'failed' };
  return { type: 'retry', waitMs: policy.waitMs(attemptNumber, requestedWaitSeconds(outcome, settings)) };
}

/** A response that says "too fast". `requestedMs`: the wait that its `Retry-After` requests; null without one. */
export type Overload = { requestedMs: number | null };

// Without `HONOR_RETRY_AFTER`: a receiver's mistake must not stop its callbacks for long.
const maxRequestedSecondsByDefault = 60;

/** Whether an outcome says "too fast" (docs/reference/callbacks.md#overload): a 429 or 503. Null if it does not. */
export function overloadOf(
  outcome: Outcome,
  { honorRetryAfter }: Pick<RetrySettings, 'honorRetryAfter'>,
): Overload | null {
  if (outcome.type !== 'response' || ![429, 503].includes(outcome.status)) return null;
  const maxSeconds = honorRetryAfter ? maxRetryWaitSeconds : maxRequestedSecondsByDefault;
  const requestedSeconds = Math.min(outcome.retryAfterSeconds ?? 0, maxSeconds);
  // A `Retry-After` of 0 asks for no wait, and would be answered by a 503 again.
  return { requestedMs: requestedSeconds > 0 ? requestedSeconds * 1_000 : null };
}

/** The wait that the receiver requests for the delivery itself, in seconds; 0 if the setting is off. */
function requestedWaitSeconds(outcome: Outcome, settings: RetrySettings): number {
  return settings.honorRetryAfter ? (overloadOf(outcome, settings)?.requestedMs ?? 0) / 1_000 : 0;
}

/**
 * The ways in which an attempt fails (docs/reference/callbacks.md#errors). `status`: a response that is not a success.
 * All others: no valid response.
 */
export const errorClasses = [
  'timeout',
  'dns',
  'tls',
  'connect',
  'reset',
  'refused',
  'protocol',
  'status',
] as const satisfies (Exclude<Outcome['type'], 'response'> | 'status')[];

export type ErrorClass = (typeof errorClasses)[number];

type StoredOutcome = { outcome: string; statusCode: number | null };

/** The error class of a stored attempt, or null if the attempt succeeded. An unknown outcome counts as `protocol`. */
export function errorClassOf(channel: Channel, { outcome, statusCode }: StoredOutcome): ErrorClass | null {
  if (outcome !== 'response') return errorClasses.find((known) => known === outcome) ?? 'protocol';
  return isSuccess(channel, { type: 'response', status: statusCode ?? 0 }) ? null : 'status';
}

/** All HTTP statuses, of 100 to 999, that count as success for a channel. */
export function successStatuses(channel: Channel): number[] {
  const statuses = Array.from({ length: 900 }, (_, index) => index + 100);
  return statuses.filter((status) => isSuccess(channel, { type: 'response', status }));
}

// HTTP's date formats, except the obsolete asctime format, which has no time zone.
const httpDate = /^[A-Za-z]{3,9}, [\w :-]{10,30} GMT$/;

// RFC 9111 (1.2.2) reads a larger number as this one.
const maxDeltaSeconds = 2 ** 31;

/**
 * Parses a response's `Retry-After` header, which is a number of seconds or a date. Returns the seconds to wait after
 * `receivedAt`, 0 for a past date, or null for any other text.
 */
export function readRetryAfter(text: string, receivedAt: Date): number | null {
  const value = text.trim();
  if (/^\d+$/.test(value)) return Math.min(Number(value), maxDeltaSeconds);
  const until = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(until) ? null : Math.max(0, (until - receivedAt.getTime()) / 1_000);
}
