import { describe, expect, test } from '@jest/globals';
import { createRetryThrottle } from './retry-throttle.js';

function setUp() {
  const clock = { ms: 0 };
  const throttle = createRetryThrottle({ now: () => clock.ms });
  /**
   * How many retries start in a second while more are due, and first attempts come every `everyMs` with these delays.
   */
  const second = (queueDelays: number[] = [], { everyMs = 5 } = {}) => {
    let started = 0;
    for (const end = clock.ms + 1_000; clock.ms < end; clock.ms += 5) {
      if (clock.ms % everyMs === 0) for (const ms of queueDelays) throttle.reportDelay(ms);
      const count = throttle.available();
      throttle.spend(count);
      started += count;
    }
    return started;
  };
  const seconds = (count: number, ...words: Parameters<typeof second>) =>
    Array.from({ length: count }, () => second(...words)).at(-1);
  return { clock, throttle, second, seconds };
}

describe('the rate of retries', () => {
  test('grows while no first attempt comes, up to a bound', () => {
    const { second } = setUp();
    expect(second()).toBeGreaterThan(400);
    expect(second()).toBeGreaterThan(5_000);
    expect(second()).toBe(10_000);
  });

  test('grows while first attempts are in time', () => {
    const { second, seconds } = setUp();
    const first = second([3]);
    expect(seconds(3, [3])).toBeGreaterThan(first * 2);
  });

  test('falls while most first attempts are late, even when they are rare, but never to zero', () => {
    for (const everyMs of [5, 250, 1_000]) {
      const { seconds } = setUp();
      seconds(3);
      expect(seconds(20, [0, 11, 300], { everyMs })).toBe(200);
    }
  });

  test('falls even while no retry is held back', () => {
    const { clock, throttle, seconds } = setUp();
    seconds(3, [11]);
    for (let n = 0; n < 50; n++, clock.ms += 100) throttle.reportDelay(11);
    expect(seconds(1, [11])).toBeLessThan(220);
  });

  test('does not fall when few first attempts are late', () => {
    const { second, seconds } = setUp();
    const before = second([0]);
    expect(seconds(3, [0, 0, 900])).toBeGreaterThan(before);
  });

  test('returns to the initial rate after a rest', () => {
    const { clock, throttle, seconds } = setUp();
    seconds(3);
    clock.ms += 100;
    throttle.available();
    clock.ms += 1_500;
    // A twentieth of a second's retries at the initial rate.
    expect(throttle.available()).toBeLessThanOrEqual(20);
  });
});
