import { expect, test } from '@jest/globals';
import {
  createRetryWhileUnavailable,
  isStatementTimeout,
  isTransientDatabaseError,
  isUnstorableTextError,
  StoppingError,
} from './database-errors.js';

const coded = (code: string) => Object.assign(new Error('failed'), { code });
const prisma = (code: string) => new Error(`Database error. Code: \`${code}\`. Message: \`failed\``);
const prismaRaw = (code: string) => new Error(`Raw query failed. Code: \`${code}\`. Message: \`failed\``);

test.each([
  '57P01',
  '57P05',
  '28P01',
  '28000',
  '3D000',
  '57014',
  '08006',
  '53300',
  '25006',
  'P1000',
  'P1003',
  '40P01',
  '40001',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])('%s is transient, also in the message of Prisma, as a cause, and in an AggregateError', (code) => {
  const errors = [
    coded(code),
    prisma(code),
    prismaRaw(code),
    new Error('x', { cause: coded(code) }),
    new AggregateError([coded(code)]),
  ];
  expect(errors.map(isTransientDatabaseError)).toEqual([true, true, true, true, true]);
});

test.each(['23505', '22P02', '22021', '42601', 'ERR_INVALID_ARG_TYPE'])('%s is not transient', (code) => {
  expect([coded(code), prisma(code)].map(isTransientDatabaseError)).toEqual([false, false]);
});

test('texts that PostgreSQL cannot store and statements that it cancelled are recognised', () => {
  const codes = ['22021', '22P05', '54000', '22P02', '57014'];
  expect(codes.map((code) => isUnstorableTextError(coded(code)))).toEqual([true, true, true, false, false]);
  for (const error of [coded, prisma, prismaRaw])
    expect(codes.map((code) => isStatementTimeout(error(code)))).toEqual([false, false, false, false, true]);
});

test('a check violation without a constraint is transient in any language, because a partition is missing', () => {
  const violation = (constraint: string | undefined) =>
    Object.assign(new Error('keine Partition für die Zeile gefunden'), { code: '23514', constraint });
  expect([violation(undefined), violation('statistics_resolution')].map(isTransientDatabaseError)).toEqual([
    true,
    false,
  ]);
});

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
      logEvent: 'worker.waiting',
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
