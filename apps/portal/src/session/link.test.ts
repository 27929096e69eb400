import { expect, test } from '@jest/globals';
import { ApiFailure } from '../api/failure.js';
import { linkTokenIn, returnUrlOf } from './link.js';

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

test.each([
  ['https://platform.example/webhooks', 'https://platform.example/webhooks'],
  ['javascript:alert(1)', null],
  [undefined, null],
])('the return_url %j of an ended session is offered as %j', (url, offered) => {
  expect(returnUrlOf(new ApiFailure(401, { return_url: url }))).toBe(offered);
});
