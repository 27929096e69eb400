import { expect, test } from '@jest/globals';
import { createTimeFormat, formatMs, formatShare, fromZonedInput, relativeTime, toZonedInput } from './format.js';

test.each([
  [0, 0, '–'],
  [0, 10, '0 %'],
  [10, 10, '100 %'],
  [1, 2, '50.0 %'],
  [999_999, 1_000_000, '99.99 %'],
  [1, 1_000_000, '0.01 %'],
])('%d of %d is %s', (part, total, text) => {
  expect(formatShare(part, total)).toBe(text);
});

test('a duration has a unit', () => {
  expect([0.42, 7, 142.4, 2_134].map(formatMs)).toEqual(['0.4 ms', '7 ms', '142 ms', '2.13 s']);
});

test('times are in the time zone and the hours of the user', () => {
  const time = '2026-11-23T21:05:57.123456Z';
  expect(createTimeFormat('Asia/Kolkata', '24').full(time)).toBe('24 Nov 2026, 02:35:57');
  expect(createTimeFormat('UTC', '12').full(time)).toBe('23 Nov 2026, 9:05:57 pm');
  expect(createTimeFormat('UTC', '24').precise(time)).toBe('21:05:57.123');
  expect(createTimeFormat('UTC', '24').full('no time')).toBe('no time');
});

test('the distance of a time from now is in whole units', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  const texts = ['11:59:30Z', '11:00:01Z', '14:00:00Z'].map((clock) => relativeTime(`2026-11-23T${clock}`, now));
  expect(texts).toEqual(['30 seconds ago', '59 minutes ago', 'in 2 hours']);
});

test.each([
  ['2026-01-31T16:30:00Z', 'Asia/Kolkata', '2026-01-31T22:00'],
  ['2026-07-01T12:00:00Z', 'America/New_York', '2026-07-01T08:00'],
  // The hour before and the hour after the clocks change.
  ['2026-03-29T00:30:00Z', 'Europe/Berlin', '2026-03-29T01:30'],
  ['2026-03-29T01:30:00Z', 'Europe/Berlin', '2026-03-29T03:30'],
])('%s is shown in %s as %s, and read back', (time, zone, input) => {
  expect(toZonedInput(time, zone)).toBe(input);
  expect(fromZonedInput(input, zone)).toBe(time);
});

test('a day and a time without an offset are in UTC, as in the API', () => {
  expect(toZonedInput('2026-01-31', 'Asia/Kolkata')).toBe('2026-01-31T05:30');
  expect(toZonedInput('2026-01-31T10:00', 'Asia/Kolkata')).toBe('2026-01-31T15:30');
});

test('an invalid time is empty', () => {
  expect(toZonedInput('soon', 'UTC')).toBe('');
  expect(fromZonedInput('', 'UTC')).toBe('');
});
