import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';
import { parseOrigins, parseRoles } from './variable-parsers.js';

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

test('roles are a list in which ingest and deliver stand for both channels', () => {
  expect(parseRoles('ingest, maintain')).toEqual(new Set(['ingest-sms', 'ingest-rcs', 'maintain']));
  expect(parseRoles('deliver-sms')).toEqual(new Set(['deliver-sms']));
  expect(parseRoles('all').size).toBe(6);
  expect(() => parseRoles('deliver,cook')).toThrow('has no role "cook"; the roles are all, ingest-sms');
});

const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7));
const [base64, url, hex] = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
const hashName = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
const other = Buffer.alloc(32, 1).toString('base64');

const read = (text?: string) =>
  readConfig(text === undefined ? {} : { SECRETS_KEYS: text }, ['SECRETS_KEYS']).SECRETS_KEYS.map(({ id, key }) => [
    id,
    key.export().toString('hex'),
  ]);

test.each([
  ['absent', undefined, []],
  ['empty', '', []],
  ['with a name', `k1:${base64}`, [['k1', hex]]],
  ['in base64url', `k1:${url}`, [['k1', hex]]],
  ['in hex', `k1:${hex}`, [['k1', hex]]],
  ['base64 without a name', base64, [[hashName, hex]]],
  ['hex without a name', hex, [[hashName, hex]]],
  [
    'two keys in their order',
    `k2:${other}, k1:${base64}`,
    [
      ['k2', '01'.repeat(32)],
      ['k1', hex],
    ],
  ],
])('SECRETS_KEYS %s', (_what, text, keys) => {
  expect(read(text)).toEqual(keys);
});

const form = (position: number) =>
  `SECRETS_KEYS must be keys of 32 bytes, separated by commas, each as name:base64; number ${position} is not`;

test.each([
  ['too short', 'k1:c2hvcnQ=', form(1)],
  ['too long', `${base64}AAAA`, form(1)],
  ['a password', 'correct horse battery staple', form(1)],
  ['an invalid name', `k 1:${base64}`, form(1)],
  ['a trailing comma', `k1:${base64},`, form(2)],
  ['two keys with the same name', `k1:${base64},k1:${other}`, 'SECRETS_KEYS has two keys with the same name'],
])('SECRETS_KEYS %s is refused with one line that does not repeat the value', (_what, text, message) => {
  expect(() => read(text)).toThrow(new ConfigError(message));
});
