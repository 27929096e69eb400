import { expect, test } from '@jest/globals';
import { errorClassOf, successStatuses } from './error-class.js';

test.each([
  ['sms', 'response', 200, null],
  ['sms', 'response', 202, null],
  ['sms', 'response', 204, 'status'],
  ['rcs', 'response', 204, null],
  ['rcs', 'response', 302, 'status'],
  ['rcs', 'timeout', null, 'timeout'],
  ['sms', 'protocol', null, 'protocol'],
  ['sms', 'something newer', null, 'protocol'],
] as const)('of %s, %s with %s has the class %s', (channel, outcome, statusCode, found) => {
  expect(errorClassOf(channel, { outcome, statusCode })).toBe(found);
});

test('lists the statuses that count as success', () => {
  expect(successStatuses('sms')).toEqual([200, 202]);
  expect(successStatuses('rcs')).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index));
});
