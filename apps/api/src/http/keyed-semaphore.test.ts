import { expect, test } from '@jest/globals';
import { KeyedSemaphore } from './concurrency-limit.js';

const longMs = 60_000;

test('permits are granted in the order of arrival, without callers that left', async () => {
  const permits = new KeyedSemaphore({ limit: 1, maxWaiting: 10, maxWaitMs: longMs });
  await permits.acquire('a');
  const gone = new AbortController();
  const served: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    if (!(await permits.acquire('a', number === 2 ? gone.signal : undefined))) return;
    served.push(number);
    permits.release('a');
  });
  gone.abort();
  permits.release('a');
  await Promise.all(waiting);
  expect(served).toEqual([1, 3]);
});

test('a caller that leaves the queue of permits frees an entry', async () => {
  const permits = new KeyedSemaphore({ limit: 1, maxWaiting: 1, maxWaitMs: longMs });
  await permits.acquire('a');
  const gone = new AbortController();
  const left = permits.acquire('a', gone.signal);
  expect(await permits.acquire('a')).toBe(false);
  gone.abort();
  expect(await left).toBe(false);
  const next = permits.acquire('a');
  permits.release('a');
  expect(await next).toBe(true);
});

test('a caller whose wait for a permit times out gets none, and a released permit is granted once', async () => {
  const permits = new KeyedSemaphore({ limit: 2, maxWaiting: 10, maxWaitMs: 1 });
  expect([await permits.acquire('a'), await permits.acquire('a')]).toEqual([true, true]);
  expect(await permits.acquire('a')).toBe(false);
  permits.release('a');
  expect([await permits.acquire('a'), await permits.acquire('a')]).toEqual([true, false]);
});

test('callers of different keys do not wait for each other', async () => {
  const permits = new KeyedSemaphore({ limit: 1, maxWaiting: 0, maxWaitMs: longMs });
  expect([await permits.acquire('a'), await permits.acquire('a'), await permits.acquire('b')]).toEqual([
    true,
    false,
    true,
  ]);
});
