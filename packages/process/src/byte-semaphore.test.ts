import { expect, test } from '@jest/globals';
import { ByteSemaphore } from './byte-semaphore.js';

test('concurrent work has at most the maximum of bytes, and work on more bytes than that runs alone', async () => {
  const running = new Set<number>();
  const semaphore = new ByteSemaphore(10);
  const totals: number[] = [];
  const work = async (bytes: number) => {
    running.add(bytes);
    totals.push([...running].reduce((sum, size) => sum + size));
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(bytes);
    if (bytes === 7) throw new Error('failed');
    return bytes;
  };
  const results = await Promise.allSettled(
    [3, 7, 1, 25, 2, 4, 5].map((bytes) => semaphore.run(bytes, () => work(bytes))),
  );
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : null))).toEqual([
    ...[3, null, 1, 25, 2, 4, 5],
  ]);
  expect(totals.filter((sum) => sum > 10)).toEqual([25]);
  expect(Math.max(...totals.filter((sum) => sum !== 25))).toBe(10);
});

test('who does not get its bytes in time gives up, so that later ones that need less can start', async () => {
  const semaphore = new ByteSemaphore(10);
  expect(await semaphore.acquire(6)).toBe(true);
  const [late, small] = [semaphore.acquire(5, performance.now()), semaphore.acquire(4)];
  expect([await late, await small]).toEqual([false, true]);
  const next = semaphore.acquire(6);
  semaphore.release(6);
  expect(await next).toBe(true);
});
