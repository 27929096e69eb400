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
    precedence.taken(3, 'a');
    precedence.taken(90, 'a');
    await enter(15);
    expect(entered).toHaveLength(15);
  });

  test('however many want to, they start at a pace, which falls while events are late', async () => {
    const startedIn = async (ms: number, lateMs: number) => {
      const { clock, precedence, entered, enter } = openScene();
      await enter(2_000);
      for (; clock.ms < ms; clock.ms += 50) {
        precedence.taken(3, 'a');
        for (const _ of [1, 2]) precedence.taken(3 + lateMs, 'a');
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
    precedence.taken(3, 'a');
    precedence.taken(900, 'a');
    await enter(5);
    expect(entered).toHaveLength(2);
    entered[0]?.();
    entered[0]?.();
    await sleep(0);
    expect(entered).toHaveLength(3);
  });

  test('a platform whose clock is behind another one’s is not late for that', () => {
    const { clock, precedence } = openScene();
    for (let n = 0; n < 20; n++) {
      clock.ms += 100;
      precedence.taken(3, 'a');
      precedence.taken(250, `b${n % 10}`);
      expect(precedence.most(100)).toBe(100);
    }
    // But when it has waited it is, and so is anybody new while nobody is on time.
    precedence.taken(400, 'b1');
    expect(precedence.most(100)).toBe(2);
    clock.ms += 5_000;
    precedence.taken(400, 'c');
    expect(precedence.most(100)).toBe(2);
  });

  test.each([0, 1, 100])('an event from the future, after %i others, makes nobody late for long', (before) => {
    const { clock, precedence } = openScene();
    const take = (waitedMs: number) => {
      clock.ms += 600;
      precedence.taken(waitedMs, 'a');
      return precedence.most(100);
    };
    for (let n = 0; n < before; n++) take(3);
    take(-3_600_000);
    // The next one alone, where it was the first.
    take(3);
    for (let n = 0; n < 3; n++) expect(take(3)).toBe(100);
    expect(take(500)).toBe(2);
    // A clock that was set right is another matter.
    for (let n = 0; n < 3; n++) take(-3_600_000);
    expect(take(-3_600_000 + 500)).toBe(2);
  });

  test.each([1, 2, 3, 10])('events that are very late after only %i others are late', (before) => {
    const { clock, precedence } = openScene();
    for (let n = 0; n < before; n++) precedence.taken(3, 'a');
    for (let n = 0; n < 20; n++) {
      clock.ms += 600;
      precedence.taken(5_000 + n, 'a');
      expect(precedence.most(100)).toBe(2);
    }
  });

  test('the same bound holds for what was parked', () => {
    const { clock, precedence } = openScene();
    precedence.taken(3, 'a');
    expect(precedence.most(100)).toBe(100);
    precedence.taken(900, 'a');
    expect([precedence.most(100), precedence.most(1)]).toEqual([2, 1]);
    clock.ms = 501;
    expect(precedence.most(100)).toBe(100);
  });

  test('all others start when no event has been late for a while', async () => {
    const { clock, precedence, entered, enter } = openScene();
    precedence.taken(3, 'a');
    precedence.taken(900, 'a');
    await enter(15);
    clock.ms = 499;
    await sleep(120);
    expect(entered).toHaveLength(2);
    clock.ms = 501;
    while (entered.length < 15) await sleep(10);
  });

  test("a platform's clock may be an hour off, and slowly go further", async () => {
    const { clock, precedence, entered, enter } = openScene();
    for (; clock.ms < 3_600_000; clock.ms += 1_000) precedence.taken(-3_600_000 + clock.ms * 0.000_9, 'a');
    await enter(10);
    expect(entered).toHaveLength(10);
    precedence.taken(-3_600_000 + clock.ms * 0.000_9 + 300, 'a');
    await enter(10);
    expect(entered).toHaveLength(10);
  });
});
