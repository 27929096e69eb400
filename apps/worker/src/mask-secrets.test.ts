import { expect, test } from '@jest/globals';
import { maskSecrets } from './mask-secrets.js';

const token = 'rb_callback_Zk3-pQ_81xYv0LmA9';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The forms in which a receiver may repeat a token. */
const forms: [string, (token: string) => string][] = [
  ['plain', (secret) => secret],
  ['JSON', (secret) => JSON.stringify(secret).slice(1, -1)],
  ['a component of a uri', encodeURIComponent],
  [
    'a component of a uri with small letters',
    (secret) => encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
  ],
  ['a form', (secret) => String(new URLSearchParams({ secret })).slice('secret='.length)],
  ['base64', base64],
  ['base64, percent-encoded', (secret) => encodeURIComponent(base64(secret))],
  ['base64url', (secret) => Buffer.from(secret).toString('base64url')],
];

test.each(forms)('a token is masked as %s, and the text around it stays', (_form, encode) => {
  for (const secret of [token, 'ascii&<"secret', 's3cr', 'a"b\\c <e>&/+ d%41=', 'ünï cödé?>?>'])
    expect(maskSecrets(`{before} ${encode(secret)} {after}`, [secret])).toBe('{before} [secret] {after}');
});

test.each(forms)('a token is masked as %s when it is cut off at the end', (_form, encode) => {
  const shown = encode(token);
  for (let length = 8; length < shown.length; length++)
    expect(maskSecrets(`so ${shown.slice(0, length)}`, [token])).toBe('so [secret]');
  expect(maskSecrets('Bearer rb_call', [token])).toBe('Bearer rb_call');
});

test('several tokens are masked at any position', () => {
  expect(maskSecrets(`${token}${token} and other-secret.`, [token, 'other-secret'])).toBe(
    '[secret][secret] and [secret].',
  );
});

test('text without a token stays unchanged', () => {
  for (const text of ['', 'thank you', '{"a":"\\u00e9\\n"}', '100 % & more \\', 'Ünïcödé İ ſ ẞ', 'rb_callback_other'])
    expect(maskSecrets(text, [token])).toBe(text);
  expect(maskSecrets('one and one', ['one', ''])).toBe('one and one');
});
