import { expect, test } from '@jest/globals';
import { printable, printableParts } from './untrusted.js';

test.each([
  ['a\u202eb', 'a\\u202eb'],
  ['\u0000\u001b[31m', '\\u0000\\u001b[31m'],
  ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
  ['\ud83d alone', '\\ud83d alone'],
  ['tag \u{e0041}', 'tag \\u{e0041}'],
])('%j is shown with escapes', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each(['two\nlines\tand a tab', '👩‍👩‍👧 and ünïcödé', 'שלום', 'क्‍ष'])('%j is shown as it is', (text) => {
  expect(printableParts(text)).toEqual([{ text, isEscape: false }]);
});

test('an escape differs from text that looks like one', () => {
  expect(printableParts('\\u202e\u202e')).toEqual([
    { text: '\\u202e', isEscape: false },
    { text: '\\u202e', isEscape: true },
  ]);
});
