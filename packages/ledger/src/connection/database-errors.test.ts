import { expect, test } from '@jest/globals';
import { isTransientDatabaseError, isStatementTimeout, isUnstorableTextError } from './database-errors.js';

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
