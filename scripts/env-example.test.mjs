import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { variables } from '../packages/process/dist/index.js';

/** Reads the variables of .env.example, each with its value and the comment above it. */
function readExample() {
  const entries = [];
  let comment = '';
  for (const line of readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n')) {
    const [, name, value] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    if (name) entries.push({ name, value, comment });
    else if (line !== '' && !line.startsWith('#')) throw new Error(`.env.example has the line "${line}"`);
    comment = line.startsWith('#') ? `${comment}${line}\n` : '';
  }
  return entries;
}

const example = readExample();

test('.env.example lists each variable once and nothing else', () => {
  expect(example.map(({ name }) => name).sort()).toEqual(Object.keys(variables).sort());
});

test.each(example)('the value of $name in .env.example is its default', ({ name, value, comment }) => {
  if (value === '') return expect(comment).not.toBe('');
  expect(variables[name].parse(value)).toEqual(variables[name].parse(undefined));
});

test.each(example.filter(({ value }) => value === ''))(
  '$name has no default, or its comment states the default',
  ({ name, comment }) => {
    const { success, data } = variables[name].safeParse(undefined);
    const isEmpty = (value) => value === undefined || value.length === 0 || value.isEmpty;
    if (success && !isEmpty(data)) expect(comment).toMatch(/Empty: pretty on a terminal/);
  },
);
