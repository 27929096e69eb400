import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { indentJson, memberText, tokenizeJson } from './json.js';

test('the tokens of a text are the text together, whether it is valid JSON or not', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      const tokens = tokenizeJson(text);
      expect(tokens.map((token) => token.text).join('')).toBe(text);
    }),
  );
});

test('indented JSON has the same value', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const indented = indentJson(text);
      expect(JSON.parse(indented)).toEqual(JSON.parse(text));
      expect(indentJson(indented)).toBe(indented);
    }),
  );
});

test('indented JSON has its numbers and strings as they are written', () => {
  expect(indentJson('{"a":2.0000,"b":[],"c":{},"d":[12345678901234567890,"\\u00e9"]}')).toBe(
    '{\n  "a": 2.0000,\n  "b": [],\n  "c": {},\n  "d": [\n    12345678901234567890,\n    "\\u00e9"\n  ]\n}',
  );
});

test('the text of a member is what is written there', () => {
  const text = '{"data": {"id": "x", "payload": {"units": 2.0000, "list": [{"payload": 1}]}, "__proto__": 1}}';
  expect(memberText(text, ['data', 'payload'])?.replaceAll(' ', '')).toBe('{"units":2.0000,"list":[{"payload":1}]}');
  expect(memberText(text, ['data', 'id'])).toBe('"x"');
  expect(memberText(text, ['data', 'nothing'])).toBeUndefined();
  expect(memberText(text, ['data', 'toString'])).toBeUndefined();
});

test('the last token of a text that ends inside a string is that string', () => {
  expect(tokenizeJson('{"a": "b\\" c').at(-1)).toEqual({ kind: 'other', text: '"b\\" c' });
});
