import { expect, test } from '@jest/globals';
import { createShares } from './shares.js';

test('an account has so many at once, and others theirs', () => {
  const shares = createShares({ mostEach: 2, usualMs: 3_000, now: () => 0 });
  const mine = [shares.take('a'), shares.take('a')];
  expect(shares.take('a')).toEqual({ waitMs: 1_500 });
  expect(shares.take('b')).toHaveProperty('leave');
  for (const share of mine) if ('leave' in share) share.leave();
  expect(shares.take('a')).toHaveProperty('leave');
});

test('those who have to wait come back one after the other, as shares become free', () => {
  const clock = { ms: 0 };
  const shares = createShares({ mostEach: 2, usualMs: 3_000, now: () => clock.ms });
  for (let n = 0; n < 2; n++) shares.take('a');
  const waits = [1, 2, 3, 4].map(() => shares.take('a'));
  expect(waits).toEqual([1_500, 3_000, 4_500, 6_000].map((waitMs) => ({ waitMs })));
  clock.ms = 10_000;
  expect(shares.take('a')).toEqual({ waitMs: 1_500 });
});
