import { describe, expect, test } from '@jest/globals';
import { openPace } from './pace.js';

function openScene() {
  const clock = { ms: 0 };
  const pace = openPace({ now: () => clock.ms });
  /** How many start in a second when always more want to, while the others come every `everyMs` and are so late. */
  const second = (lateness: number[] = [], { everyMs = 5 } = {}) => {
    let started = 0;
    for (const end = clock.ms + 1_000; clock.ms < end; clock.ms += 5) {
      if (clock.ms % everyMs === 0) for (const ms of lateness) pace.late(ms);
      while (pace.take()) started++;
    }
    return started;
  };
  const seconds = (count: number, ...words: Parameters<typeof second>) =>
    Array.from({ length: count }, () => second(...words)).at(-1);
  return { clock, pace, second, seconds };
}

describe('the pace of those who stand back', () => {
  test('grows while nobody else comes, up to a bound', () => {
    const { second } = openScene();
    expect(second()).toBeGreaterThan(400);
    expect(second()).toBeGreaterThan(5_000);
    expect(second()).toBe(10_000);
  });

  test('grows while the others are in time', () => {
    const { second, seconds } = openScene();
    const first = second([3]);
    expect(seconds(3, [3])).toBeGreaterThan(first * 2);
  });

  test('falls while most of the others are late, however seldom they come, and never to nothing', () => {
    for (const everyMs of [5, 250, 1_000]) {
      const { seconds } = openScene();
      seconds(3);
      expect(seconds(20, [0, 25, 300], { everyMs })).toBe(200);
    }
  });

  test('falls also while it holds nobody up', () => {
    const { clock, pace, seconds } = openScene();
    seconds(3, [25]);
    for (let n = 0; n < 50; n++, clock.ms += 100) pace.late(25);
    expect(seconds(1, [25])).toBeLessThan(220);
  });

  test('does not fall because some few are late', () => {
    const { second, seconds } = openScene();
    const before = second([0]);
    expect(seconds(3, [0, 0, 900])).toBeGreaterThan(before);
  });

  test('is the first again after a rest', () => {
    const { clock, pace, seconds } = openScene();
    seconds(3);
    clock.ms += 1_500;
    let atOnce = 0;
    while (pace.take()) atOnce++;
    // The rest was seen: a twentieth of the first, no more.
    expect(atOnce).toBeLessThanOrEqual(20);
  });
});
