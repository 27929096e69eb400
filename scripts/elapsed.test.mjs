import { expect, test } from '@jest/globals';
import { until } from '../packages/testing/dist/index.js';
import { createTurboParser, showElapsed } from './elapsed.mjs';

const screenOf = (options) => {
  const screen = { text: '', ...options, write: (text) => void (screen.text += text) };
  return screen;
};

test('without a terminal a step has a line at its start and further lines with its detail', async () => {
  const screen = screenOf({});
  const step = showElapsed('Building', screen, 1);
  expect(screen.text).toBe('Building ...\n');
  step.setDetail('1 of 2: @ringback/api');
  await until(() => /^Building \.\.\. \d+ s, 1 of 2: @ringback\/api$/m.test(screen.text), 'the line is written');
  step.end();
  expect(screen.text).not.toMatch(/\r|\x1b/);
});

test('on a terminal a step is one line, which fits its width and is cleared at the end', () => {
  const screen = screenOf({ isTTY: true, columns: 30 });
  const step = showElapsed('Building', screen);
  step.setDetail(`1 of 2: ${'x'.repeat(100)}`);
  step.end();
  const drawn = screen.text.split('\r\u001b[2K');
  expect(screen.text).not.toContain('\n');
  expect(drawn[2]).toMatch(/^Building \.\.\. 0 s, 1 of 2: x+$/);
  expect(drawn.map((line) => line.length).filter((length) => length > 29)).toEqual([]);
  expect(drawn.at(-1)).toBe('');
});

test('the output of turbo is counted by packages, in chunks of any size', () => {
  const reports = [];
  const parse = createTurboParser((text) => reports.push(text));
  const output = [
    '   • Running build in 2 packages',
    '@ringback/callbacks:build: cache hit, suppressing logs 4199',
    '@ringback/api:build: cache miss, executing 0a1b',
    '@ringback/api:build: src/main.ts(1,1): error TS2304: Cannot find name.',
    '',
  ].join('\n');
  for (const character of output) parse(character);
  expect(reports).toEqual(['package 1: @ringback/callbacks', 'package 2: @ringback/api']);
});
