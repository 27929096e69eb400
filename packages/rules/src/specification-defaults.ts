import type { RetrySettings } from './retry-policy.js';

/** The specification's retry settings. The environment may change them (`packages/process/src/variables.ts`). */
export const defaultRetrySettings: RetrySettings = {
  smsRetries: 3,
  smsRetryIntervalSeconds: 1_800,
  rcsRetries: 2,
  rcsMaxRetryDelaySeconds: 100_000,
  timeScale: 1,
  honorRetryAfter: false,
};

/**
 * The specification's time limit for an RCS callback, used for SMS too. It covers the DNS lookup, the request and the
 * whole response. Once the headers have arrived, a timeout no longer changes the outcome.
 */
export const defaultCallbackTimeoutMs = 3_000;
