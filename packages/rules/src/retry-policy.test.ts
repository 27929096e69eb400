import { expect, test } from '@jest/globals';
import { retryPolicyFor, defaultRetrySettings } from './retry-policy.js';

const waitsS = (channel: 'sms' | 'rcs', count: number, settings = defaultRetrySettings) =>
  Array.from({ length: count }, (_, index) => retryPolicyFor(channel, settings).waitMs(index + 1) / 1_000);

test('SMS: 4 attempts, 30 minutes apart', () => {
  expect(retryPolicyFor('sms', defaultRetrySettings).maxAttempts).toBe(4);
  expect(waitsS('sms', 3)).toEqual([1_800, 1_800, 1_800]);
});

test('RCS: 3 attempts, 10 s and 100 s apart', () => {
  expect(retryPolicyFor('rcs', defaultRetrySettings).maxAttempts).toBe(3);
  expect(waitsS('rcs', 2)).toEqual([10, 100]);
});

test('RCS with more retries: powers of ten up to 100,000 s', () => {
  expect(waitsS('rcs', 7)).toEqual([10, 100, 1_000, 10_000, 100_000, 100_000, 100_000]);
});

test('the time scale multiplies every wait', () => {
  const settings = { ...defaultRetrySettings, timeScale: 0.001 };
  expect(waitsS('rcs', 3, settings)).toEqual([0.01, 0.1, 1]);
  expect(waitsS('sms', 1, settings)).toEqual([1.8]);
});

test.each([NaN, -1, 0, Infinity, 1e9])('the wait after attempt %p is a whole number of ms within bounds', (attempt) => {
  for (const channel of ['sms', 'rcs'] as const) {
    const wait = retryPolicyFor(channel, { ...defaultRetrySettings, timeScale: 1e9 }).waitMs(attempt);
    expect(Number.isInteger(wait)).toBe(true);
    expect(wait).toBeGreaterThanOrEqual(0);
    expect(wait).toBeLessThanOrEqual(100_000_000);
  }
});
