import { expect, test } from '@jest/globals';
import { isQueueUnavailable } from './engine.js';

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01',
  '57P05',
  '28P01',
  '28000',
  '3D000',
  '25006',
  '53100',
])('an error with the code %s, or one that wraps it, means that the engine is unavailable', (code) => {
  const error = Object.assign(new Error('failed'), { code });
  const errors = [error, new Error('x', { cause: error }), new AggregateError([error])];
  expect(errors.map(isQueueUnavailable)).toEqual([true, true, true]);
});
