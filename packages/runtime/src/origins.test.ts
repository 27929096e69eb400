import { describe, expect, test } from '@jest/globals';
import { parseOrigins } from './origins.js';

describe('a list of origins', () => {
  test.each([
    ['', []],
    [' , ', []],
    ['https://a.example', ['https://a.example']],
    ['https://a.example,http://b.example:8080', ['https://a.example', 'http://b.example:8080']],
    [' https://A.example  https://a.example:443\n', ['https://a.example']],
    ['http://[::1]:3000,http://localhost:3000', ['http://[::1]:3000', 'http://localhost:3000']],
  ])('%j has the origins %j', (text, origins) => expect(parseOrigins(text)).toEqual(origins));

  test.each([
    'a.example',
    'https://',
    'https://a.example/',
    'https://a.example/path',
    'https://a.example?x',
    'https://*.a.example',
    '*',
    "'self'",
    'https:',
    'ftp://a.example',
    'https://a.example:99999',
    'https://a.example;script-src',
    'null',
  ])('%j is not an origin', (text) => {
    const problem = `has "${text}", which is not an origin such as https://example.com`;
    expect(() => parseOrigins(`https://good.example ${text}`)).toThrow(problem);
  });

  test.each(['https://user@a.example', 'https://a.example https://user:pass,word@b.example', 'user:pass word@x'])(
    'the error for %j does not repeat it',
    (text) => {
      const problem = 'must not have a user name or password; an origin looks like https://example.com';
      expect(() => parseOrigins(text)).toThrow(new Error(problem));
    },
  );
});
