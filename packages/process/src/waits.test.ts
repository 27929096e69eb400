import { expect, test } from '@jest/globals';
import { withTimeout } from './waits.js';

const never = new Promise<never>(() => undefined);
const fail = () => {
  throw new Error('too late');
};

test('a promise that settles in time gives its value or its error', async () => {
  expect(await withTimeout(60_000, Promise.resolve('value'), fail)).toBe('value');
  await expect(withTimeout(60_000, Promise.reject(new Error('broken')), fail)).rejects.toThrow('broken');
});

test('a promise that takes too long gives the value or the error of onTimeout', async () => {
  expect(await withTimeout(1, never, () => 'fallback')).toBe('fallback');
  await expect(withTimeout(1, never, fail)).rejects.toThrow('too late');
});

test('a value that arrived while the event loop was blocked wins over the timeout', async () => {
  const value = new Promise((resolve) => setTimeout(resolve, 2, 'value'));
  const result = withTimeout(1, value, fail);
  for (const until = performance.now() + 20; performance.now() < until;);
  expect(await result).toBe('value');
});

test('a promise that fails after its timeout causes no unhandled rejection', async () => {
  let reject = (_error: Error) => {};
  const broken = new Promise((_resolve, fall) => (reject = fall));
  expect(await withTimeout(1, broken, () => 'fallback')).toBe('fallback');
  reject(new Error('broken'));
  await expect(broken).rejects.toThrow('broken');
});
