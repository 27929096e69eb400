import { expect, test } from '@jest/globals';
import { readId } from './jobs.js';

test.each([
  ['a text', { id: 'x' }, 'x'],
  ['a number', { id: 7 }, ''],
  ['a missing field', {}, ''],
  ['data that are no object', null, ''],
])('the id of a job with %s is read as a text, which is empty if there is none', (_name, data, expected) => {
  expect(readId(data, 'id')).toBe(expected);
});
