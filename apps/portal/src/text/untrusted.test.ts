import { expect, test } from '@jest/globals';
import { maskNumber, maskNumbersIn } from './mask.js';

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
