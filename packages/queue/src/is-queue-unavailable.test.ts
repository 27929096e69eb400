import { expect, test } from '@jest/globals';
import { isQueueUnavailable } from './is-queue-unavailable.js';

test.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', '57P01', '53100'])(
  'after %s the engine is unavailable, in any wrapper',
  (code) => {
    const error = Object.assign(new Error('failed'), { code });
    const wrapped = [error, new Error('x', { cause: error }), new AggregateError([error])];
    expect(wrapped.map(isQueueUnavailable)).toEqual([true, true, true]);
  },
);
