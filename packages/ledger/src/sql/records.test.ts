import { expect, test } from '@jest/globals';
import { defineRecords, namesOf } from './statement.js';

type Item = { id: string; headers: Record<string, string> };

const columns = {
  id: ['text', ({ id }: Item) => id],
  headers: ['json', ({ headers }: Item) => headers],
} as const;
const records = defineRecords<Item>(columns);

test('one definition of columns names them in the records and in an INSERT', () => {
  expect(records.from('$items')).toContain('json_to_recordset($items::json) AS r(id text, headers json)');
  expect(namesOf(columns)).toBe('id, headers');
});

test.each([
  ['a lone surrogate becomes U+FFFD', 'a\ud83d', 'a\ufffd'],
  ['a lone surrogate after backslashes becomes U+FFFD', '\\\\\ud83d\ud83d', '\\\\\ufffd\ufffd'],
  ['a whole pair stays', '\u{1f600}', '\u{1f600}'],
  ['the text of an escape stays', '\\ud83d', '\\ud83d'],
  ['the text of an escape after a backslash stays', '\\\\ud83d', '\\\\ud83d'],
])('%s, at any depth', (_name, text, expected) => {
  const encoded = records.encode([{ id: text, headers: { name: text } }]);
  expect(JSON.parse(encoded)).toEqual([{ id: expected, headers: { name: expected } }]);
});
