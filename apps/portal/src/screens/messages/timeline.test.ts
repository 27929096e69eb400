import { expect, test } from '@jest/globals';
import { createTimeScale, formatElapsed } from './timeline.js';

const start = 1_000_000;

test('moments on a time scale keep their order, and short gaps stay visible beside long ones', () => {
  const [first, second, third] = [start, start + 40, start + 1_800_000] as const;
  const scale = createTimeScale([third, first, second], 0);
  expect(scale.at(first)).toBe(0);
  expect(scale.at(third)).toBe(1);
  expect(scale.at(second)).toBeGreaterThan(0.1);
  expect(scale.at(second)).toBeLessThan(0.5);
});

test('the labels of a time scale keep their distance', () => {
  const moments = Array.from({ length: 50 }, (_, index) => start + index * 10);
  const { at, ticks } = createTimeScale(moments, 0.25);
  const distances = ticks.slice(1).map((ms, index) => at(ms) - at(ticks[index] ?? 0));
  expect(ticks.length).toBeGreaterThan(1);
  expect(Math.min(...distances)).toBeGreaterThanOrEqual(0.25);
});

test('a single moment has a position on a time scale', () => {
  expect(createTimeScale([start], 0.2)).toMatchObject({ ticks: [start] });
  expect(createTimeScale([start], 0.2).at(start)).toBe(0);
});

test.each([
  [40, '+40 ms'],
  [3_200, '+3.2 s'],
  [1_800_000, '+30 min'],
  [7_200_000, '+2 h'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text);
});
