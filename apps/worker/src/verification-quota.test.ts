import { expect, test } from '@jest/globals';
import { VerificationQuota } from './verification-quota.js';

test('an account gets at most 2 permits at the same time, whatever other accounts use', () => {
  const quota = new VerificationQuota({ maxPerAccount: 2, timeoutMs: 3_000, now: () => 0 });
  const uses = [quota.acquire('a'), quota.acquire('a')];
  expect(quota.acquire('a')).toEqual({ waitMs: 1_500 });
  expect(quota.acquire('b')).toHaveProperty('release');
  for (const use of uses) if ('release' in use) use.release();
  expect(quota.acquire('a')).toHaveProperty('release');
});

test('callers that have to wait get staggered waits, at the rate at which permits are released', () => {
  const clock = { ms: 0 };
  const quota = new VerificationQuota({ maxPerAccount: 2, timeoutMs: 3_000, now: () => clock.ms });
  for (let n = 0; n < 2; n++) quota.acquire('a');
  const waits = [1, 2, 3, 4].map(() => quota.acquire('a'));
  expect(waits).toEqual([1_500, 3_000, 4_500, 6_000].map((waitMs) => ({ waitMs })));
  clock.ms = 10_000;
  expect(quota.acquire('a')).toEqual({ waitMs: 1_500 });
});
