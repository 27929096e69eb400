import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringifyExactJson, ExactNumber, parseExactJson } from './json.js';

const numbers = ['12345678901234567890', '2.0000', '1e3', '1E+3', '-0', '-0.0', '0.10', '1e400', '9007199254740993'];

test('a number that JavaScript would write differently keeps its text', () => {
  for (const number of numbers) {
    for (const text of [
      number,
      `[${number}]`,
      `{"a":${number},"b":[${number},1]}`,
      `{"a":{"b":${number}},"c":"${number}"}`,
    ])
      expect(stringifyExactJson(parseExactJson(text))).toBe(text);
  }
});

test('all other values equal the result of JSON.parse', () => {
  const text =
    ' {"a" : [ 1 , 1.5 , "2.0000" , {} , [] , null , true ] , "a\\u0062" : "x\\"}" , "__proto__" : { "n" : -0 } } ';
  const value = parseExactJson(text);
  expect(stringifyExactJson(value)).toBe('{"a":[1,1.5,"2.0000",{},[],null,true],"ab":"x\\"}","__proto__":{"n":-0}}');
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(() => parseExactJson('{"a":1.0,}')).toThrow(SyntaxError);
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (json, indent) => {
      const written = JSON.stringify({ exact: 0, json }, null, indent).replace('0', '1.0');
      expect(JSON.stringify(parseExactJson(written))).toBe(JSON.stringify({ exact: 1, json }));
    }),
  );
});

test('of duplicate members the last one counts', () => {
  expect(stringifyExactJson(parseExactJson('{"a":1.0,"b":1,"a":2.0}'))).toBe('{"a":2.0,"b":1}');
});

test('a placeholder path cannot reach into a number', () => {
  expect(Object.keys(new ExactNumber('1.0'))).toEqual([]);
});
