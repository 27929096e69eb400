import { expect, test } from '@jest/globals';
import { AttemptFailedError, backoff } from './consumers.js';

// BullMQ takes what is no number of milliseconds for "at once", and a throw for a job that failed for good.
test.each([
  [1_800_000, 1_800_000],
  [0, 0],
  [0.5, 1],
  [-1, 0],
  [1e12, 100_000_000],
  [Infinity, 100_000_000],
  [NaN, 100_000_000],
])('an attempt that failed, with a wait of %d ms, is made again after %d ms', (waitMs, expected) => {
  expect(backoff(1, 'custom', new AttemptFailedError(waitMs))).toBe(expected);
});

test.each([
  ['no error', undefined],
  ['an error of somebody else, with a wait', Object.assign(new Error('x'), { waitMs: 7 })],
])('%s is tried again after 15 s', (_what, error) => {
  expect(backoff(NaN, undefined, error)).toBe(15_000);
});
