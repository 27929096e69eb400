import { describe, expect, test } from '@jest/globals';
import { isSuccess, judge, errorClassOf, overloadOf, successStatuses, readRetryAfter } from './verdict.js';
import { defaultRetrySettings } from './retry-policy.js';

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
  [508, false, false],
  [999, false, false],
])('%i is a success for SMS: %p, for RCS: %p', (status, sms, rcs) => {
  expect(isSuccess('sms', { type: 'response', status })).toBe(sms);
  expect(isSuccess('rcs', { type: 'response', status })).toBe(rcs);
});

test.each(['timeout', 'dns', 'connect', 'tls', 'reset', 'refused', 'protocol'] as const)(
  'no response (%s) is a failure',
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

test('a success is delivered, whatever the number of the attempt', () => {
  expect(judge('sms', { type: 'response', status: 202 }, 4, defaultRetrySettings)).toEqual({ type: 'delivered' });
});

test.each([
  [429, undefined, false, { requestedMs: null }],
  [503, undefined, false, { requestedMs: null }],
  [503, 0, false, { requestedMs: null }],
  [429, 5, false, { requestedMs: 5_000 }],
  [503, 61, false, { requestedMs: 60_000 }],
  [503, 61, true, { requestedMs: 61_000 }],
  [429, 1e12, true, { requestedMs: 100_000_000 }],
  [500, 5, true, null],
  [502, 5, true, null],
  [200, 5, true, null],
])(
  '%i with Retry-After %p, honored: %p, says "too fast": %j',
  (status, retryAfterSeconds, honorRetryAfter, overload) => {
    const outcome = {
      type: 'response' as const,
      status,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
    expect(overloadOf(outcome, { honorRetryAfter })).toEqual(overload);
  },
);

test('no response does not say "too fast"', () => {
  expect(overloadOf({ type: 'timeout', code: 'TIMEOUT' }, { honorRetryAfter: true })).toBeNull();
});

describe('a Retry-After', () => {
  const response = (status: number, retryAfterSeconds = 0) => ({
    type: 'response' as const,
    status,
    retryAfterSeconds,
  });
  const honoring = { ...defaultRetrySettings, honorRetryAfter: true };

  test.each([
    ['rcs', 1, response(429, 60), 60_000],
    ['rcs', 1, response(503, 60), 60_000],
    ['rcs', 1, response(429, 5), 10_000],
    ['rcs', 2, response(503, 60), 100_000],
    ['sms', 1, response(429, 3_600), 3_600_000],
    ['sms', 3, response(429, 60), 1_800_000],
    ['sms', 1, response(429, 1e12), 100_000_000],
    ['rcs', 1, response(500, 60), 10_000],
    ['rcs', 1, response(429), 10_000],
  ] as const)('%s, attempt %i, %j: the wait is %i ms', (channel, attempt, outcome, waitMs) => {
    expect(judge(channel, outcome, attempt, honoring)).toEqual({ type: 'retry', waitMs });
  });

  test('does not add an attempt', () => {
    expect(judge('rcs', response(429, 60), 3, honoring)).toEqual({ type: 'failed' });
  });

  test('is ignored when the setting is off', () => {
    expect(judge('rcs', response(429, 60), 1, defaultRetrySettings)).toEqual({ type: 'retry', waitMs: 10_000 });
  });

  test('is scaled like every other wait', () => {
    const scaled = { ...honoring, timeScale: 0.001 };
    expect(judge('rcs', response(429, 1e12), 1, scaled)).toEqual({ type: 'retry', waitMs: 100_000 });
  });
});

test.each([
  ['sms', 'response', 200, null],
  ['sms', 'response', 202, null],
  ['sms', 'response', 204, 'status'],
  ['rcs', 'response', 204, null],
  ['rcs', 'response', 302, 'status'],
  ['rcs', 'timeout', null, 'timeout'],
  ['sms', 'protocol', null, 'protocol'],
  ['sms', 'something newer', null, 'protocol'],
] as const)('of %s, %s with %s has the class %s', (channel, outcome, statusCode, found) => {
  expect(errorClassOf(channel, { outcome, statusCode })).toBe(found);
});

test('lists the statuses that count as success', () => {
  expect(successStatuses('sms')).toEqual([200, 202]);
  expect(successStatuses('rcs')).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
});

const receivedAt = new Date('2026-01-15T09:30:00Z');

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['Thu, 15 Jan 2026 09:32:00 GMT', 120],
  ['Thursday, 15-Jan-26 09:32:00 GMT', 120],
  // The day of the week says nothing that the date doesn't.
  ['Mon, 15 Jan 2026 09:32:00 GMT', 120],
  ['Thu, 15 Jan 2026 09:29:00 GMT', 0],
  ['9'.repeat(400), 2_147_483_648],
])('%j means %i s', (text, seconds) => {
  expect(readRetryAfter(text, receivedAt)).toBe(seconds);
});

test.each([
  '',
  'soon',
  '-1',
  '1.5',
  '1e3',
  '120, 60',
  '2026-01-15',
  'Thu Jan 15 09:32:00 2026',
  'Thu, 99 Jan 2026 99:99:99 GMT',
])('%j is not a Retry-After', (text) => {
  expect(readRetryAfter(text, receivedAt)).toBeNull();
});
