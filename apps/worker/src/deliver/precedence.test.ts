import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPrecedence } from './precedence.js';

function openScene() {
  const clock = { ms: 0 };
  const precedence = openPrecedence({ least: 2, now: () => clock.ms });
  const entered: (() => void)[] = [];
  const enter = (count: number) => {
    for (let n = 0; n < count; n++) void precedence.enter().then((leave) => entered.push(leave));
    return sleep(0);
  };
  return { clock, precedence, entered, enter };
}

describe('first attempts before retries', () => {
  test('retries start at once while no event is late', async () => {
    const { precedence, entered, enter } = openScene();
    precedence.taken(3);
    precedence.taken(90);
    await enter(15);
    expect(entered).toHaveLength(15);
  });

  test('however many want to, they start at a pace, which falls while events are late', async () => {
    const startedIn = async (ms: number, lateMs: number) => {
      const { clock, precedence, entered, enter } = openScene();
      await enter(2_000);
      for (; clock.ms < ms; clock.ms += 50) {
        precedence.taken(3);
        for (const _ of [1, 2]) precedence.taken(3 + lateMs);
        await sleep(25);
        entered.forEach((leave) => leave());
      }
      return entered.length;
    };
    const calm = await startedIn(1_000, 0);
    expect(calm).toBeGreaterThan(100);
    expect(calm).toBeLessThan(1_500);
    expect(await startedIn(1_000, 30)).toBeLessThan(calm / 2);
  });

  test('while events are late, some few retries are in hand, and one more for each that ends', async () => {
    const { precedence, entered, enter } = openScene();
    precedence.taken(3);
    precedence.taken(900);
    await enter(5);
    expect(entered).toHaveLength(2);
    entered[0]?.();
    entered[0]?.();
    await sleep(0);
    expect(entered).toHaveLength(3);
  });

  test('the same bound holds for what was parked', () => {
    const { clock, precedence } = openScene();
    precedence.taken(3);
    expect(precedence.most(100)).toBe(100);
    precedence.taken(900);
    expect([precedence.most(100), precedence.most(1)]).toEqual([2, 1]);
    clock.ms = 501;
    expect(precedence.most(100)).toBe(100);
  });

  test('all others start when no event has been late for a while', async () => {
    const { clock, precedence, entered, enter } = openScene();
    precedence.taken(3);
    precedence.taken(900);
    await enter(15);
    clock.ms = 499;
    await sleep(120);
    expect(entered).toHaveLength(2);
    clock.ms = 501;
    while (entered.length < 15) await sleep(10);
  });

  test("a platform's clock may be an hour off, and slowly go further", async () => {
    const { clock, precedence, entered, enter } = openScene();
    for (; clock.ms < 3_600_000; clock.ms += 1_000) precedence.taken(-3_600_000 + clock.ms * 0.000_9);
    await enter(10);
    expect(entered).toHaveLength(10);
    precedence.taken(-3_600_000 + clock.ms * 0.000_9 + 300);
    await enter(10);
    expect(entered).toHaveLength(10);
  });
});
