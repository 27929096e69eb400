import { expect, test } from '@jest/globals';
import { hideBearer } from './hide-bearer.js';

test.each([
  ['nothing of it', 'thank you', 'rb_callback_abc', 'thank you'],
  ['it', 'Bearer rb_callback_abc', 'rb_callback_abc', 'Bearer [secret]'],
  ['it twice', 'abcd-abcd', 'abcd', '[secret]-[secret]'],
  ['it as JSON writes it', '{"t":"a\\"b\\\\c"}', 'a"b\\c', '{"t":"[secret]"}'],
  ['what a replacement would expand', 'so $&$1$& is', '$&$1$&', 'so [secret] is'],
  ['its beginning, where it was cut off', 'Bearer rb_callb', 'rb_callback_abc', 'Bearer [secret]'],
  ['too little of it to tell', 'Bearer rb_', 'rb_callback_abc', 'Bearer rb_'],
  ['a token too short to be secret', 'one and one', 'one', 'one and one'],
])('an answer that shows %s', (_what, answer, bearer, kept) => {
  expect(hideBearer(answer, bearer)).toBe(kept);
});
