import { expect, test } from '@jest/globals';
import { Batcher } from './batch.js';

test('calls of one turn of the event loop go in one batch, and each gets its own result', async () => {
  const batches: number[][] = [];
  const double = new Batcher(
    async (items: number[]) => {
      batches.push(items);
      return items.map((item) => item * 2);
    },
    { maxSize: 100 },
  );
  expect(await Promise.all([1, 2, 3].map((item) => double.run(item)))).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('no batch exceeds its maximum size, and no more than the maximum number of batches run at once', async () => {
  const batchSizes: number[] = [];
  let running = 0;
  let maxRunning = 0;
  const act = new Batcher(
    async (items: number[]) => {
      batchSizes.push(items.length);
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return items;
    },
    { maxSize: 10, maxConcurrent: 3 },
  );
  await Promise.all(Array.from({ length: 95 }, (_, index) => act.run(index)));
  expect(batchSizes.reduce((sum, size) => sum + size)).toBe(95);
  expect(Math.max(...batchSizes)).toBe(10);
  expect(maxRunning).toBe(3);
});

test('calls that arrive while a batch runs share the next batch', async () => {
  const batchSizes: number[] = [];
  const releases: (() => void)[] = [];
  const act = new Batcher(
    (items: number[]) => {
      batchSizes.push(items.length);
      return new Promise<number[]>((resolve) => releases.push(() => resolve(items)));
    },
    { maxSize: 100, maxConcurrent: 1 },
  );
  const first = act.run(0);
  await new Promise((resolve) => setImmediate(resolve));
  const rest = [1, 2, 3].map((item) => act.run(item));
  releases[0]!();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  releases[1]!();
  expect(await Promise.all(rest)).toEqual([1, 2, 3]);
  expect(batchSizes).toEqual([1, 3]);
});

test('a batch with results for its first items only runs again for the others', async () => {
  const batches: number[][] = [];
  const act = new Batcher(
    async (items: number[]) => {
      batches.push(items);
      if (items.includes(3) && items.length === 1) throw new Error('3 is bad');
      return items.slice(0, 2);
    },
    { maxSize: 100 },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => act.run(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(batches).toEqual([[1, 2, 3], [3]]);
});

test('one bad item does not fail the others of its batch', async () => {
  const act = new Batcher(
    async (items: number[]) => {
      if (items.includes(13)) throw new Error('13 is bad');
      return items;
    },
    { maxSize: 100 },
  );
  const results = await Promise.allSettled([12, 13, 14].map((item) => act.run(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('an outage fails all items of a batch without retries, and the next call runs normally', async () => {
  const batchSizes: number[] = [];
  const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const act = new Batcher(
    async (items: number[]) => {
      batchSizes.push(items.length);
      if (batchSizes.length === 1) throw unavailable;
      return items;
    },
    { maxSize: 100 },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => act.run(item)));
  expect(results).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: unavailable })));
  expect(await act.run(4)).toBe(4);
  expect(batchSizes).toEqual([3, 1]);
});

test('with a retry, the calls that an outage fails run again, and other errors are thrown', async () => {
  const batches: number[][] = [];
  const act = new Batcher(
    async (items: number[]) => {
      batches.push(items);
      if (batches.length === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      if (items.includes(3)) throw new Error('3 is bad');
      return items;
    },
    { retry: (operation) => operation() },
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => act.run(item)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(batches).toEqual([[1, 2, 3], [1, 2, 3], [1], [2], [3]]);
});

test('the caller can define which errors concern the whole batch', async () => {
  let runs = 0;
  const act = new Batcher(
    async (): Promise<number[]> => {
      runs++;
      throw new Error('the queue is unavailable');
    },
    {
      maxSize: 100,
      failsWholeBatch: (error) => error instanceof Error && error.message === 'the queue is unavailable',
    },
  );
  await Promise.allSettled([1, 2, 3].map((item) => act.run(item)));
  expect(runs).toBe(1);
});

test('a lingering batch has the calls that arrive meanwhile, and one that is full at first runs at once', async () => {
  const batchSizes: number[] = [];
  const act = async (items: number[]) => {
    batchSizes.push(items.length);
    return items;
  };
  const lingering = new Batcher(act, { maxSize: 3, maxConcurrent: 1, lingerMs: 50 });
  const first = lingering.run(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(batchSizes).toEqual([]);
  expect(await Promise.all([first, lingering.run(2)])).toEqual([1, 2]);
  expect(batchSizes).toEqual([2]);
  const full = new Batcher(act, { maxSize: 1, maxConcurrent: 1, lingerMs: 3_600_000 });
  expect(await full.run(4)).toBe(4);
});
