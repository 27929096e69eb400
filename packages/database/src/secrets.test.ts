import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSecrets, SecretError } from './secrets.js';

const newKey = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const place = { column: 'webhooks.secret', id: '180ebbb5-9b6f-4c51-a98a-0123456789ab' } as const;

describe('with a key', () => {
  const key = newKey('k1');
  const secrets = createSecrets([key]);

  test.each(['s3cret', '', 'ä🙂', 'v1:k1:x', 'x'.repeat(10_000)])('what was sealed opens again: %.20s', (text) => {
    const stored = secrets.seal(text, place);
    expect(stored).toMatch(/^v1:k1:[A-Za-z0-9_-]{38,}$/);
    expect(secrets.open(stored, place)).toBe(text);
  });

  test('the same text is sealed differently each time', () => {
    expect(secrets.seal('s3cret', place)).not.toBe(secrets.seal('s3cret', place));
  });

  test('what is stored in clear is read as it is', () => {
    expect(secrets.open('s3cret', place)).toBe('s3cret');
  });

  test('the id of the row may be in capitals', () => {
    const stored = secrets.seal('s3cret', { ...place, id: place.id.toUpperCase() });
    expect(secrets.open(stored, place)).toBe('s3cret');
  });

  test.each([
    ['in another row', { ...place, id: place.id.replace('1', '2') }],
    ['in another column', { ...place, column: 'webhooks.verification_code' as const }],
  ])('what was sealed does not open %s', (_where, elsewhere) => {
    expect(() => secrets.open(secrets.seal('s3cret', place), elsewhere)).toThrow(SecretError);
  });

  test('no character of what was sealed can be changed', () => {
    const stored = secrets.seal('s3cret', place);
    for (let at = 'v1:k1:'.length; at < stored.length; at++) {
      const changed = `${stored.slice(0, at)}${stored[at] === 'A' ? 'Q' : 'A'}${stored.slice(at + 1)}`;
      expect(() => secrets.open(changed, place)).toThrow(SecretError);
    }
  });

  test('another key of the same name does not open it, and the message holds nothing of it', () => {
    const stored = secrets.seal('s3cret', place);
    const message = `the key "k1" of SECRETS_KEY does not open webhooks.secret of ${place.id}: it is another key, or the value was changed`;
    expect(() => createSecrets([newKey('k1')]).open(stored, place)).toThrow(new SecretError(message));
  });
});

test('the first key seals, every key opens', () => {
  const [old, fresh] = [newKey('old'), newKey('new')];
  const before = createSecrets([old]).seal('s3cret', place);
  const both = createSecrets([fresh, old]);
  expect(both.open(before, place)).toBe('s3cret');
  expect(both.seal('s3cret', place)).toMatch(/^v1:new:/);
  expect(() => createSecrets([fresh]).open(before, place)).toThrow(
    new SecretError(`SECRETS_KEY has no key "old", which webhooks.secret of ${place.id} was sealed with`),
  );
});

test('a key of `npm start` that is missing is named with the file that holds it', () => {
  const sealed = createSecrets([newKey('dev-0a1b2c')]).seal('s3cret', place);
  expect(() => createSecrets([]).open(sealed, place)).toThrow(
    `SECRETS_KEY has no key "dev-0a1b2c", which webhooks.secret of ${place.id} was sealed with; ` +
      '`npm start` keeps it in its .data/secrets-key.json',
  );
});

describe('without a key', () => {
  const sealed = createSecrets([newKey('k1')]).seal('s3cret', place);
  const secrets = createSecrets([]);

  test.each(['s3cret', '', 'v1:', 'v0:x', 'v0:v1:x'])('a text is stored as it is: %s', (text) => {
    expect(secrets.seal(text, place)).toBe(text);
    expect(secrets.open(text, place)).toBe(text);
  });

  test.each([sealed, `v0:${sealed}`, `v0:v0:${sealed}`])(
    'a text that looks sealed is still that text: %.12s',
    (text) => {
      expect(secrets.open(secrets.seal(text, place), place)).toBe(text);
      expect(createSecrets([newKey('k2')]).open(secrets.seal(text, place), place)).toBe(text);
    },
  );
});
