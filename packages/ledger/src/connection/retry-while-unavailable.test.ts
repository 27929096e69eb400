import { expect, test } from '@jest/globals';
import { createRetryWhileUnavailable, StoppingError } from './retry-while-unavailable.js';

const unavailable = Object.assign(new Error('the database is unavailable'), { code: 'ECONNREFUSED' });

function createTestbed(warnEveryMs?: number) {
  const warnings: unknown[][] = [];
  const stop = new AbortController();
  const log = { warn: (...warning: unknown[]) => void warnings.push(warning) };
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

/** Creates an operation that fails `times` times as if PostgreSQL were unavailable, then succeeds. */
function failing(times: number) {
  let calls = 0;
  return async () => {
    if (calls++ < times) throw unavailable;
    return calls;
  };
}

test('an operation is repeated while PostgreSQL is unavailable, without a warning at first', async () => {
  const { retryWhileUnavailable, warnings } = createTestbed();
  expect(await retryWhileUnavailable(failing(2))).toBe(3);
  expect(warnings).toEqual([]);
});

test('any other error is thrown at once', async () => {
  const { retryWhileUnavailable } = createTestbed();
  const otherError = new Error('other');
  await expect(retryWhileUnavailable(() => Promise.reject(otherError))).rejects.toBe(otherError);
});

test('operations that fail for a long time cause one warning together', async () => {
  const { retryWhileUnavailable, warnings } = createTestbed(250);
  await Promise.all([failing(3), failing(3), failing(3)].map((operation) => retryWhileUnavailable(operation)));
  expect(warnings).toEqual([
    ['worker.waiting', { seconds: 0, error: 'the database is unavailable', code: 'ECONNREFUSED' }],
  ]);
});

test('an operation that waits ends when the process stops, with a StoppingError whose cause is the error', async () => {
  const { retryWhileUnavailable, stop } = createTestbed();
  const waiting = retryWhileUnavailable(failing(Infinity));
  stop.abort();
  const error: unknown = await waiting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoppingError);
  expect(error).toMatchObject({ cause: unavailable });
});
