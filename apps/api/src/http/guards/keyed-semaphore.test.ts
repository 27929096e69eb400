import { expect, test } from '@jest/globals';
import { createKeyedSemaphore, type Release } from './keyed-semaphore.js';

const longMs = 60_000;

test('permits are granted in the order of arrival, without callers that left', async () => {
  const acquire = createKeyedSemaphore({ limit: 1, maxWaiting: 10, maxWaitMs: longMs });
  const first = await acquire('a');
  const gone = new AbortController();
  const served: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const release = await acquire('a', number === 2 ? gone.signal : undefined);
    if (release) served.push(number);
    release?.();
  });
  gone.abort();
  first?.();
  await Promise.all(waiting);
  expect(served).toEqual([1, 3]);
});

test('a caller that leaves frees an entry of the queue', async () => {
  const acquire = createKeyedSemaphore({ limit: 1, maxWaiting: 1, maxWaitMs: longMs });
  const release = await acquire('a');
  const gone = new AbortController();
  const left = acquire('a', gone.signal);
  expect(await acquire('a')).toBeNull();
  gone.abort();
  expect(await left).toBeNull();
  const next = acquire('a');
  release?.();
  expect(await next).not.toBeNull();
});

test('a caller whose wait times out gets no permit, and a permit that is released twice counts once', async () => {
  const acquire = createKeyedSemaphore({ limit: 2, maxWaiting: 10, maxWaitMs: 1 });
  const held = [await acquire('a'), await acquire('a')];
  expect(await acquire('a')).toBeNull();
  held[0]?.();
  held[0]?.();
  const again: (Release | null)[] = [await acquire('a'), await acquire('a')];
  expect(again.map((release) => release !== null)).toEqual([true, false]);
});

test('keys do not wait for each other', async () => {
  const acquire = createKeyedSemaphore({ limit: 1, maxWaiting: 0, maxWaitMs: longMs });
  expect([await acquire('a'), await acquire('a'), await acquire('b')].map((release) => release !== null)).toEqual([
    true,
    false,
    true,
  ]);
});
