import { describe, expect, test } from '@jest/globals';
import { openBacklog } from './backlog.js';

/** A backlog with a clock that only moves when told, and queues in which so many jobs wait as it says. */
function openScene() {
  const scene = { ms: 0, waiting: 0, counts: 0 };
  const countWaiting = () => {
    scene.counts++;
    return Promise.resolve(scene.waiting);
  };
  const backlog = openBacklog({ countWaiting, now: () => scene.ms });
  /** What is known when a count that is due has come. */
  const heavy = async () => {
    scene.ms += 251;
    backlog.heavy();
    await new Promise((resolve) => setImmediate(resolve));
    return backlog.heavy();
  };
  return { scene, backlog, heavy };
}

describe('accounts whose deliveries wait in the ledger', () => {
  test('are none while the queues are short, however much an account pushes', async () => {
    const { backlog, heavy } = openScene();
    for (let second = 0; second < 10; second++) {
      backlog.added('a', 200);
      expect(await heavy()).toEqual([]);
    }
  });

  test('are those that made the queues long, from the moment on at which they did', () => {
    const { backlog } = openScene();
    expect(backlog.heavy()).toEqual([]);
    backlog.added('light', 10);
    backlog.added('heavy', 200);
    expect(backlog.heavy()).toEqual(['heavy']);
  });

  test('have twenty jobs a second meanwhile, and are forgiven with time', async () => {
    const { scene, backlog, heavy } = openScene();
    scene.waiting = 1_000;
    backlog.added('a', 60);
    backlog.added('b', 10_000);
    expect(await heavy()).toEqual(['a', 'b']);
    scene.ms += 500;
    expect(await heavy()).toEqual(['b']);
    backlog.added('a', 20);
    expect(await heavy()).toEqual(['b', 'a']);
    scene.ms += 2_500;
    expect(await heavy()).toEqual([]);
  });

  test('are none any more when the queues are short again', async () => {
    const { scene, backlog, heavy } = openScene();
    backlog.added('a', 1_000);
    scene.waiting = 900;
    expect(await heavy()).toEqual(['a']);
    scene.waiting = 20;
    expect(await heavy()).toEqual([]);
  });

  test('are told from what was counted last, and the queues are counted a few times a second at most', async () => {
    const { scene, backlog, heavy } = openScene();
    scene.waiting = 5_000;
    backlog.added('a', 100);
    expect(await heavy()).toEqual(['a']);
    for (let call = 0; call < 100; call++) backlog.heavy();
    expect(scene.counts).toBe(1);
  });

  test('a queue that does not answer changes nothing', async () => {
    const backlog = openBacklog({ countWaiting: () => Promise.reject(new Error('away')) });
    backlog.added('a', 1_000);
    expect(backlog.heavy()).toEqual(['a']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(backlog.heavy()).toEqual(['a']);
  });
});
