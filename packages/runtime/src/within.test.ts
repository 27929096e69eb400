import { expect, test } from '@jest/globals';
import { within } from './within.js';

const never = new Promise<never>(() => undefined);
const fail = () => {
  throw new Error('too late');
};

test('what comes in time is the answer, and what fails in time is the error', async () => {
  expect(await within(60_000, Promise.resolve('here'), fail)).toBe('here');
  await expect(within(60_000, Promise.reject(new Error('broken')), fail)).rejects.toThrow('broken');
});

test('what takes too long is answered by somebody else, or fails', async () => {
  expect(await within(1, never, () => 'instead')).toBe('instead');
  await expect(within(1, never, fail)).rejects.toThrow('too late');
});

test('an answer that came while the process was busy is heard', async () => {
  const answer = new Promise((resolve) => setTimeout(resolve, 2, 'here'));
  const asked = within(1, answer, fail);
  for (const until = performance.now() + 20; performance.now() < until;);
  expect(await asked).toBe('here');
});

test('what fails when nobody listens any more disturbs nobody', async () => {
  let fall = (_error: Error) => {};
  const broken = new Promise((_resolve, reject) => (fall = reject));
  expect(await within(1, broken, () => 'instead')).toBe('instead');
  fall(new Error('broken'));
  await expect(broken).rejects.toThrow('broken');
});
