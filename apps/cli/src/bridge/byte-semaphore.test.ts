import { expect, test } from '@jest/globals';
import { createByteSemaphore } from './byte-semaphore.js';

test('concurrent work has at most the maximum of bytes, and work on more bytes than that runs alone', async () => {
  const running = new Set<number>();
  const runWithin = createByteSemaphore(10);
  const totals: number[] = [];
  const work = async (bytes: number) => {
    running.add(bytes);
    totals.push([...running].reduce((sum, size) => sum + size));
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(bytes);
    if (bytes === 7) throw new Error('failed');
    return bytes;
  };
  const results = await Promise.allSettled([3, 7, 1, 25, 2, 4, 5].map((bytes) => runWithin(bytes, () => work(bytes))));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : null))).toEqual([
    ...[3, null, 1, 25, 2, 4, 5],
  ]);
  expect(totals.filter((sum) => sum > 10)).toEqual([25]);
  expect(Math.max(...totals.filter((sum) => sum !== 25))).toBe(10);
});
