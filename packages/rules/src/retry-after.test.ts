import { expect, test } from '@jest/globals';
import { readRetryAfter } from './retry-after.js';

const receivedAt = new Date('2026-01-15T09:30:00Z');

test.each([
  ['120', 120],
  [' 0 ', 0],
  ['Thu, 15 Jan 2026 09:32:00 GMT', 120],
  ['Thursday, 15-Jan-26 09:32:00 GMT', 120],
  ['Thu, 15 Jan 2026 09:29:00 GMT', 0],
])('%j means %i s', (text, seconds) => {
  expect(readRetryAfter(text, receivedAt)).toBe(seconds);
});

test.each(['', 'soon', '-1', '1.5', '1e3', '2026-01-15', 'Thu Jan 15 09:32:00 2026', 'Thu, 99 Jan 2026 99:99:99 GMT'])(
  '%j is not a Retry-After',
  (text) => {
    expect(readRetryAfter(text, receivedAt)).toBeNull();
  },
);
