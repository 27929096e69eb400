import { expect, test } from '@jest/globals';
import { printable, printableJson } from './text.js';

const hostile = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, index) => String.fromCharCode(0x7f + index)),
  ...['\u2028', '\u2029', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'],
];
const isPlain = (text: string) => /^[\x20-\x7e]+$/.test(text);

test('control characters and characters that change the direction of text are escaped, in text and in JSON', () => {
  const unescaped = hostile.filter((character) => !isPlain(printable(character)) || !isPlain(printableJson(character)));
  expect(unescaped).toEqual([]);
  const changed = hostile.filter((character) => JSON.parse(printableJson([character]))[0] !== character);
  expect(changed).toEqual([]);
  expect(printable('a\x1b]0;pwned\x07\r\n\tb\u202e\x9b')).toBe('a\\x1b]0;pwned\\x07\\r\\n\\tb\\u202e\\x9b');
});

test('other text is unchanged', () => {
  const text = 'Müller & Søn, ‏עברית‎, العربية, 日本語, 👩‍👧 \\ "quoted"';
  expect(printable(text)).toBe(text);
  expect(printableJson({ text })).toBe(JSON.stringify({ text }));
  expect([undefined, () => 1, null, 1, [undefined]].map(printableJson)).toEqual([
    'null',
    'null',
    'null',
    '1',
    '[null]',
  ]);
});
