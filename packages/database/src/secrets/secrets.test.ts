import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSecrets, SecretError } from './secrets.js';

const newKey = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const location = { column: 'webhooks.secret', id: '180ebbb5-9b6f-4c51-a98a-0123456789ab' } as const;

describe('with a key', () => {
  const key = newKey('k1');
  const secrets = createSecrets([key]);

  test.each(['s3cret', '', 'ä🙂', 'v1:k1:x', 'x'.repeat(10_000)])('a sealed text opens again: %.20s', (text) => {
    const stored = secrets.seal(text, location);
    expect(stored).toMatch(/^v1:k1:[A-Za-z0-9_-]{38,}$/);
    expect(secrets.open(stored, location)).toBe(text);
  });

  test('the same text is sealed differently each time', () => {
    expect(secrets.seal('s3cret', location)).not.toBe(secrets.seal('s3cret', location));
  });

  test('an unencrypted text is read unchanged', () => {
    expect(secrets.open('s3cret', location)).toBe('s3cret');
  });

  test("the case of the row's id does not matter", () => {
    const stored = secrets.seal('s3cret', { ...location, id: location.id.toUpperCase() });
    expect(secrets.open(stored, location)).toBe('s3cret');
  });

  test.each([
    ['in another row', { ...location, id: location.id.replace('1', '2') }],
    ['in another column', { ...location, column: 'webhooks.verification_code' as const }],
  ])('a sealed text does not open %s', (_where, elsewhere) => {
    expect(() => secrets.open(secrets.seal('s3cret', location), elsewhere)).toThrow(SecretError);
  });

  test('a sealed text does not open after any character changed', () => {
    const stored = secrets.seal('s3cret', location);
    for (let at = 'v1:k1:'.length; at < stored.length; at++) {
      const changed = `${stored.slice(0, at)}${stored[at] === 'A' ? 'Q' : 'A'}${stored.slice(at + 1)}`;
      expect(() => secrets.open(changed, location)).toThrow(SecretError);
    }
  });

  test('another key with the same id does not open it, and the message contains nothing of the secret', () => {
    const stored = secrets.seal('s3cret', location);
    const message = `the key "k1" of SECRETS_KEY does not open webhooks.secret of ${location.id}: it is another key, or the value was changed`;
    expect(() => createSecrets([newKey('k1')]).open(stored, location)).toThrow(new SecretError(message));
  });
});

test('the first key seals, every key opens', () => {
  const [old, fresh] = [newKey('old'), newKey('new')];
  const before = createSecrets([old]).seal('s3cret', location);
  const both = createSecrets([fresh, old]);
  expect(both.open(before, location)).toBe('s3cret');
  expect(both.seal('s3cret', location)).toMatch(/^v1:new:/);
  expect(() => createSecrets([fresh]).open(before, location)).toThrow(
    new SecretError(`SECRETS_KEY has no key "old", which webhooks.secret of ${location.id} was sealed with`),
  );
});

test('the message for a missing key of `npm start` names the file that has it', () => {
  const sealed = createSecrets([newKey('dev-0a1b2c')]).seal('s3cret', location);
  expect(() => createSecrets([]).open(sealed, location)).toThrow(
    `SECRETS_KEY has no key "dev-0a1b2c", which webhooks.secret of ${location.id} was sealed with; ` +
      '`npm start` keeps it in its .data/secrets-key.json',
  );
});

describe('without a key', () => {
  const sealed = createSecrets([newKey('k1')]).seal('s3cret', location);
  const secrets = createSecrets([]);

  test.each(['s3cret', '', 'v1:', 'v0:x', 'v0:v1:x'])('a text is stored unchanged: %s', (text) => {
    expect(secrets.seal(text, location)).toBe(text);
    expect(secrets.open(text, location)).toBe(text);
  });

  test.each([sealed, `v0:${sealed}`, `v0:v0:${sealed}`])(
    'a text that looks sealed is read unchanged: %.12s',
    (text) => {
      expect(secrets.open(secrets.seal(text, location), location)).toBe(text);
      expect(createSecrets([newKey('k2')]).open(secrets.seal(text, location), location)).toBe(text);
    },
  );
});
