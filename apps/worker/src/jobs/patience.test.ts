import { expect, test } from '@jest/globals';
import { openPatience, StoppingError } from './patience.js';

const away = new Error('the database is away');
const isAway = (error: unknown) => error === away;

function open(complainAfterMs?: number) {
  const warnings: unknown[][] = [];
  const stop = new AbortController();
  const log = { warn: (...words: unknown[]) => void warnings.push(words) };
  return { warnings, stop, persist: openPatience({ stopping: stop.signal, log }, complainAfterMs) };
}

/** Fails so often with a passing error, then answers. */
function failing(times: number) {
  let calls = 0;
  return async () => {
    if (calls++ < times) throw away;
    return calls;
  };
}

test('what fails for a passing reason is repeated until it answers, without a word at first', async () => {
  const { persist, warnings } = open();
  expect(await persist(failing(2), isAway)).toBe(3);
  expect(warnings).toEqual([]);
});

test('any other error is the caller’s at once', async () => {
  const { persist } = open();
  const own = new Error('own');
  await expect(persist(() => Promise.reject(own), isAway)).rejects.toBe(own);
});

test('what waits for long says so, one for all', async () => {
  const { persist, warnings } = open(250);
  await Promise.all([failing(3), failing(3), failing(3)].map((act) => persist(act, isAway)));
  expect(warnings).toEqual([['worker.waiting', { seconds: 0, error: 'the database is away' }]]);
});

test('it ends when the process is to stop, and says why', async () => {
  const { persist, stop } = open();
  const waiting = persist(failing(Infinity), isAway);
  stop.abort();
  const error: unknown = await waiting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoppingError);
  expect(error).toMatchObject({ cause: away });
});
