import { describe, expect, test } from '@jest/globals';
import { createRetryThrottle } from './retry-throttle.js';

function setUp() {
  const clock = { ms: 0 };
  const throttle = createRetryThrottle({ now: () => clock.ms });
  /**
   * Lets a second pass in which more retries are due than may start, and first attempts with these delays come every
   * `everyMs`. Returns how many retries started.
   */
  const passSecond = (queueDelays: number[] = [], { everyMs = 5 } = {}) => {
    let started = 0;
    for (const end = clock.ms + 1_000; clock.ms < end; clock.ms += 5) {
      if (clock.ms % everyMs === 0) for (const ms of queueDelays) throttle.reportDelay(ms);
      const count = throttle.available();
      throttle.spend(count);
      started += count;
    }
    return started;
  };
  const passSeconds = (count: number, ...options: Parameters<typeof passSecond>) =>
    Array.from({ length: count }, () => passSecond(...options)).at(-1);
  return { clock, throttle, passSecond, passSeconds };
}

describe('the rate of retries', () => {
  test('grows while no first attempt comes, up to 10,000/s', () => {
    const { passSecond } = setUp();
    expect(passSecond()).toBeGreaterThan(400);
    expect(passSecond()).toBeGreaterThan(5_000);
    expect(passSecond()).toBe(10_000);
  });

  test('grows while first attempts are in time', () => {
    const { passSecond, passSeconds } = setUp();
    const first = passSecond([3]);
    expect(passSeconds(3, [3])).toBeGreaterThan(first * 2);
  });

  test('falls while most first attempts are late, even when they are rare, but not below 200/s', () => {
    for (const everyMs of [5, 250, 1_000]) {
      const { passSeconds } = setUp();
      passSeconds(3);
      expect(passSeconds(20, [0, 11, 300], { everyMs })).toBe(200);
    }
  });

  test('falls even while no retry is held back', () => {
    const { clock, throttle, passSeconds } = setUp();
    passSeconds(3, [11]);
    for (let n = 0; n < 50; n++, clock.ms += 100) throttle.reportDelay(11);
    expect(passSeconds(1, [11])).toBeLessThan(220);
  });

  test('does not fall when few first attempts are late', () => {
    const { passSecond, passSeconds } = setUp();
    const before = passSecond([0]);
    expect(passSeconds(3, [0, 0, 900])).toBeGreaterThan(before);
  });

  test('returns to the initial rate after 1.5 s without claims', () => {
    const { clock, throttle, passSeconds } = setUp();
    passSeconds(3);
    clock.ms += 100;
    throttle.available();
    clock.ms += 1_500;
    // A twentieth of a second's retries at the initial rate.
    expect(throttle.available()).toBeLessThanOrEqual(20);
  });
});
