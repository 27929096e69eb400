import { expect, test } from '@jest/globals';
import { isSuccess, judge } from './judge.js';
import { defaultRetrySettings } from './policy.js';

test.each([
  [200, true, true],
  [201, false, true],
  [202, true, true],
  [203, false, true],
  [204, false, true],
  [299, false, true],
  [101, false, false],
  [199, false, false],
  [300, false, false],
  [302, false, false],
  [400, false, false],
  [410, false, false],
  [429, false, false],
  [500, false, false],
  [999, false, false],
])('%i is a success for SMS: %p, for RCS: %p', (status, sms, rcs) => {
  expect(isSuccess('sms', { type: 'response', status })).toBe(sms);
  expect(isSuccess('rcs', { type: 'response', status })).toBe(rcs);
});

test.each(['timeout', 'dns', 'connect', 'tls', 'reset', 'refused', 'protocol'] as const)(
  'no answer (%s) is a failure',
  (type) => {
    expect(isSuccess('sms', { type, code: 'X' })).toBe(false);
    expect(isSuccess('rcs', { type, code: 'X' })).toBe(false);
  },
);

const fails = { type: 'response', status: 500 } as const;

test.each([
  ['sms', 1, { type: 'retry', waitMs: 1_800_000 }],
  ['sms', 3, { type: 'retry', waitMs: 1_800_000 }],
  ['sms', 4, { type: 'failed' }],
  ['rcs', 1, { type: 'retry', waitMs: 10_000 }],
  ['rcs', 2, { type: 'retry', waitMs: 100_000 }],
  ['rcs', 3, { type: 'failed' }],
  ['rcs', 9, { type: 'failed' }],
] as const)('%s: when attempt %i fails: %j', (channel, attempt, verdict) => {
  expect(judge(channel, fails, attempt, defaultRetrySettings)).toEqual(verdict);
});

test('a success ends it at any attempt', () => {
  expect(judge('sms', { type: 'response', status: 202 }, 4, defaultRetrySettings)).toEqual({ type: 'delivered' });
});
