import { expect, test } from '@jest/globals';
import { fromZonedInput, toZonedInput } from './zoned-time.js';

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
