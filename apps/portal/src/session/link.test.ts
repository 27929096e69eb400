import { expect, test } from '@jest/globals';
import { linkTokenIn } from './link.js';

test.each([
  ['#session=abc', 'abc'],
  ['https://ringback.example/portal/deliveries?x=1#session=a%2Bb', 'a+b'],
  ['  https://ringback.example/portal/#session=abc\n', 'abc'],
  ['#other=1&session=abc&more=2', 'abc'],
  ['session=abc', 'abc'],
])('the token in %j is %j', (text, token) => {
  expect(linkTokenIn(text)).toBe(token);
});

test.each(['', '#', '#session=', 'https://ringback.example/?session=abc#', '#session=%', '#session'])(
  'there is no token in %j',
  (text) => {
    expect(linkTokenIn(text)).toBeUndefined();
  },
);
