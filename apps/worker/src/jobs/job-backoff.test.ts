import { expect, test } from '@jest/globals';
import { JobRetryError, backoff } from './job-backoff.js';

// BullMQ retries at once when the backoff is not a number, and fails the job for good when it throws.
test.each([
  [1_800_000, 1_800_000],
  [0, 0],
  [0.5, 1],
  [-1, 0],
  [1e12, 100_000_000],
  [Infinity, 100_000_000],
  [NaN, 100_000_000],
])('a failed attempt with a wait of %d ms is retried after %d ms', (waitMs, expected) => {
  expect(backoff(1, 'custom', new JobRetryError(waitMs))).toBe(expected);
});

test.each([
  ['no error', undefined],
  ['another error that has a wait', Object.assign(new Error('x'), { waitMs: 7 })],
])('%s: the job is retried after 15 s', (_what, error) => {
  expect(backoff(NaN, undefined, error)).toBe(15_000);
});
