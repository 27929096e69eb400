import { describe, expect, test } from '@jest/globals';
import { openPace } from './pace.js';

function openScene() {
  const clock = { ms: 0 };
  const pace = openPace({ now: () => clock.ms });
  /** How many start in a second when always more want to, while the others are so late. */
  const second = (lateness: number[] = []) => {
    let started = 0;
    for (const end = clock.ms + 1_000; clock.ms < end; clock.ms += 5) {
      for (const ms of lateness) pace.late(ms);
      while (pace.take()) started++;
    }
    return started;
  };
  return { clock, pace, second };
}

describe('the pace of those who stand back', () => {
  test('grows while nobody else waits, up to a bound', () => {
    const { second } = openScene();
    expect(second()).toBeGreaterThan(400);
    expect(second()).toBeGreaterThan(5_000);
    expect(second()).toBe(10_000);
  });

  test('falls while most of the others are late, and never to nothing', () => {
    const { second } = openScene();
    for (let n = 0; n < 3; n++) second();
    for (let n = 0; n < 3; n++) second([0, 25, 300]);
    expect(second([0, 25, 300])).toBe(50);
    expect(second([0, 25, 300])).toBe(50);
    expect(second([3])).toBeGreaterThan(70);
  });

  test('does not fall because some few are late', () => {
    const { second } = openScene();
    const before = second([0]);
    expect(second([0, 0, 900])).toBeGreaterThan(before);
  });

  test('is the first again after a rest, and when it held nobody up', () => {
    const { clock, pace, second } = openScene();
    for (let n = 0; n < 3; n++) second();
    clock.ms += 1_500;
    expect(second([25])).toBeLessThan(200);
    for (let n = 0; n < 3; n++) second();
    for (let n = 0; n < 100; n++, clock.ms += 100) pace.take();
    let atOnce = 0;
    while (pace.take()) atOnce++;
    expect(atOnce).toBeLessThan(50);
  });
});
