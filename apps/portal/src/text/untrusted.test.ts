import { expect, test } from '@jest/globals';
import { maskNumber, maskNumbersIn, printable, printableParts } from './untrusted.js';

test.each([
  ['918921269000', '91••••••••00'],
  ['+49 170 123', '+4•••••••23'],
  ['123456', '••••••'],
  ['', ''],
])('the number %j is masked as %j', (number, masked) => {
  expect(maskNumber(number)).toBe(masked);
});

test.each([
  ['{"mobile":"918921269000","units":2}', '{"mobile":"91••••••••00","units":2}'],
  ['{"mobile":918921269000}', '{"mobile":91••••••••00}'],
  ['?to=%2B918921269000&x=1', '?to=%2B91••••••••00&x=1'],
  ['to:918921269000', 'to:91••••••••00'],
  ['+918921269000', '+91••••••••00'],
])('numbers in %j are masked', (text, masked) => {
  expect(maskNumbersIn(text)).toBe(masked);
});

test.each(['b34e35ad-fe34-4a8b-977c-212345678901:1', '2026-11-23T02:05:57Z', 'code 500, 12 ms', 'abc918921269000'])(
  '%j has no phone number',
  (text) => {
    expect(maskNumbersIn(text)).toBe(text);
  },
);

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
