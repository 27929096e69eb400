import { expect, test } from '@jest/globals';
import { createRetryWhileUnavailable, StoppingError } from './retry-while-unavailable.js';

const unavailable = Object.assign(new Error('the database is unavailable'), { code: 'ECONNREFUSED' });

function open(warnEveryMs?: number) {
  const warnings: unknown[][] = [];
  const stop = new AbortController();
  const log = { warn: (...words: unknown[]) => void warnings.push(words) };
  return {
    warnings,
    stop,
    retryWhileUnavailable: createRetryWhileUnavailable({
      stopping: stop.signal,
      log,
      program: 'worker',
      ...(warnEveryMs === undefined ? {} : { warnEveryMs }),
    }),
  };
}

/** Fails `times` times as if PostgreSQL were unavailable, then succeeds. */
function failing(times: number) {
  let calls = 0;
  return async () => {
    if (calls++ < times) throw unavailable;
    return calls;
  };
}

test('an operation that fails while PostgreSQL is unavailable is repeated until it succeeds, without a warning at first', async () => {
  const { retryWhileUnavailable, warnings } = open();
  expect(await retryWhileUnavailable(failing(2))).toBe(3);
  expect(warnings).toEqual([]);
});

test('any other error is thrown at once', async () => {
  const { retryWhileUnavailable } = open();
  const own = new Error('own');
  await expect(retryWhileUnavailable(() => Promise.reject(own))).rejects.toBe(own);
});

test('operations that wait for long cause one warning together', async () => {
  const { retryWhileUnavailable, warnings } = open(250);
  await Promise.all([failing(3), failing(3), failing(3)].map((act) => retryWhileUnavailable(act)));
  expect(warnings).toEqual([
    ['worker.waiting', { seconds: 0, error: 'the database is unavailable', code: 'ECONNREFUSED' }],
  ]);
});

test('a waiting operation ends when the worker stops, with the error as its cause', async () => {
  const { retryWhileUnavailable, stop } = open();
  const waiting = retryWhileUnavailable(failing(Infinity));
  stop.abort();
  const error: unknown = await waiting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoppingError);
  expect(error).toMatchObject({ cause: unavailable });
});
