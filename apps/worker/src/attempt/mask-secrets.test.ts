import { expect, test } from '@jest/globals';
import { maskSecrets } from './mask-secrets.js';

const token = 'rb_callback_Zk3-pQ_81xYv0LmA9';
const specialCharacters = 'a"b\\c <e>&/+ d%41=';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const unicode = (text: string) =>
  text.replace(/./g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
const entities = (text: string) => text.replace(/./g, (character) => `&#${character.charCodeAt(0)};`);

/** The encodings in which a receiver may repeat a token. The text around it must stay. */
const encodings: [string, (token: string) => string][] = [
  ['plain', (secret) => secret],
  ['upper case', (secret) => secret.toUpperCase()],
  ['JSON', (secret) => JSON.stringify(secret)],
  ['JSON in JSON', (secret) => JSON.stringify(JSON.stringify(secret))],
  ['a component of a uri', encodeURIComponent],
  ['a form', (secret) => String(new URLSearchParams({ secret }))],
  ['percent-encoded to the last character', percent],
  ['percent-encoded twice', (secret) => encodeURIComponent(percent(secret))],
  ['unicode escapes', unicode],
  ['decimal entities', entities],
  ['hexadecimal entities', (secret) => secret.replace(/./g, (text) => `&#x${text.charCodeAt(0).toString(16)};`)],
  ['HTML', (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
  ['hexadecimal', (secret) => Buffer.from(secret).toString('hex')],
  ['base64', base64],
  ['base64 of what begins one byte earlier', (secret) => base64(`:${secret}:`)],
  ['base64 of what begins two bytes earlier', (secret) => base64(`::${secret}::`)],
  ['base64url', (secret) => Buffer.from(`?>${secret}?>`).toString('base64url')],
  ['base64 in lines', (secret) => base64(`Bearer ${secret}`).replace(/(.{10})/g, '$1\r\n')],
  ['base64, percent-encoded', (secret) => encodeURIComponent(base64(`Bearer ${secret}`))],
  ['split by commas and spaces', (secret) => `${secret.slice(0, 9)}, ${secret.slice(9)}`],
];

test('a token is masked in every form, and the text around it stays', () => {
  const tokens = [token, 'ascii&<"secret', 's3cr'];
  for (const secret of tokens) {
    for (const [encoding, encode] of encodings) {
      const [kept = ''] = maskSecrets([`{before} ${encode(secret)} {after}`], [secret]);
      expect([encoding, kept]).toEqual([encoding, expect.stringMatching(/^\{before\} .*\[secret\].* \{after\}$/s)]);
      // Only the characters that base64 and a form put around it are left.
      const rest = kept.replace('{before} ', '').replace(' {after}', '').replaceAll('[secret]', '');
      expect([encoding, rest]).toEqual([encoding, expect.stringMatching(/^.{0,14}$/s)]);
    }
  }
});

test('a token with characters that every encoding escapes is masked', () => {
  for (const encode of [(text: string) => text, JSON.stringify, encodeURIComponent, base64]) {
    expect(maskSecrets([`{before} ${encode(specialCharacters)}`], [specialCharacters])[0]).toMatch(
      /^\{before\} "?\[secret\].{0,3}$/,
    );
  }
});

test('a token that is cut off at the end is masked in each form from 8 characters on', () => {
  const shown = [token, percent(token), unicode(token), base64(token), base64(`:${token}`), entities(token)];
  for (const text of shown) {
    for (let length = 48; length < text.length; length++) {
      const [kept = ''] = maskSecrets([`so ${text.slice(0, length)}`], [token]);
      expect([text.slice(0, length), kept]).toEqual([
        text.slice(0, length),
        expect.stringMatching(/^so .{0,2}\[secret\]$/),
      ]);
    }
  }
  expect(maskSecrets(['Bearer rb_callb'], [token])).toEqual(['Bearer [secret]']);
  expect(maskSecrets(['Bearer rb_call'], [token])).toEqual(['Bearer rb_call']);
});

test('a token that is split over several texts is masked in each', () => {
  expect(maskSecrets(['v=rb_callback_Z', 'k3-pQ_81xY', 'v0LmA9;', 'rest'], [token])).toEqual([
    'v=[secret]',
    '[secret]',
    '[secret];',
    'rest',
  ]);
  expect(maskSecrets(['a', '', 'rest'], [token])).toEqual(['a', '', 'rest']);
});

test('several tokens are masked at any position', () => {
  const [kept] = maskSecrets([`${token}${token} and other-secret.`], [token, 'other-secret']);
  expect(kept).toBe('[secret] and [secret].');
});

test('text without a token stays unchanged', () => {
  const texts = [
    '',
    'thank you',
    '{"a":"\\u00e9\\n"}',
    '100 % & more \\',
    'Ünïcödé İ ſ ẞ',
    'rb_callback_other',
    '%',
    '&#99999999;',
  ];
  for (const text of texts) expect(maskSecrets([text], [token])).toEqual([text]);
  expect(maskSecrets(['one and one'], ['one', ''])).toEqual(['one and one']);
  const long = 'İ'.repeat(500);
  expect(maskSecrets([`${long}${token}${long}`], [token])).toEqual([`${long}[secret]${long}`]);
});
