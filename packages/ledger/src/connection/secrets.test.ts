import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSecrets, UnreadableSecretError } from './secrets.js';

const newKey = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const location = { column: 'webhooks.secret', id: '180ebbb5-9b6f-4c51-a98a-0123456789ab' } as const;

describe('with a key', () => {
  const key = newKey('k1');
  const secrets = createSecrets([key]);

  test.each(['s3cret', '', 'ä🙂', 'v1:k1:x', 'x'.repeat(10_000)])(
    'an encrypted text can be decrypted: %.20s',
    (text) => {
      const stored = secrets.encrypt(text, location);
      expect(stored).toMatch(/^v1:k1:[A-Za-z0-9_-]{38,}$/);
      expect(secrets.decrypt(stored, location)).toBe(text);
    },
  );

  test('the same text is encrypted differently each time', () => {
    expect(secrets.encrypt('s3cret', location)).not.toBe(secrets.encrypt('s3cret', location));
  });

  test('an unencrypted text is read unchanged', () => {
    expect(secrets.decrypt('s3cret', location)).toBe('s3cret');
  });

  test("the case of the row's id does not matter", () => {
    const stored = secrets.encrypt('s3cret', { ...location, id: location.id.toUpperCase() });
    expect(secrets.decrypt(stored, location)).toBe('s3cret');
  });

  test.each([
    ['in another row', { ...location, id: location.id.replace('1', '2') }],
    ['in another column', { ...location, column: 'webhooks.verification_code' as const }],
  ])('an encrypted text cannot be decrypted %s', (_where, elsewhere) => {
    expect(() => secrets.decrypt(secrets.encrypt('s3cret', location), elsewhere)).toThrow(UnreadableSecretError);
  });

  test('an encrypted text cannot be decrypted after any character changed', () => {
    const stored = secrets.encrypt('s3cret', location);
    for (let at = 'v1:k1:'.length; at < stored.length; at++) {
      const changed = `${stored.slice(0, at)}${stored[at] === 'A' ? 'Q' : 'A'}${stored.slice(at + 1)}`;
      expect(() => secrets.decrypt(changed, location)).toThrow(UnreadableSecretError);
    }
  });

  test('another key with the same id does not decrypt it, and the message contains nothing of the secret', () => {
    const stored = secrets.encrypt('s3cret', location);
    const message = `the key "k1" of SECRETS_KEYS does not decrypt webhooks.secret of ${location.id}: it is another key, or the value was changed`;
    expect(() => createSecrets([newKey('k1')]).decrypt(stored, location)).toThrow(new UnreadableSecretError(message));
  });
});

test('the first key encrypts, every key decrypts', () => {
  const [old, fresh] = [newKey('old'), newKey('new')];
  const before = createSecrets([old]).encrypt('s3cret', location);
  const both = createSecrets([fresh, old]);
  expect(both.decrypt(before, location)).toBe('s3cret');
  expect(both.encrypt('s3cret', location)).toMatch(/^v1:new:/);
  expect(() => createSecrets([fresh]).decrypt(before, location)).toThrow(
    new UnreadableSecretError(
      `SECRETS_KEYS has no key "old", which webhooks.secret of ${location.id} was encrypted with`,
    ),
  );
});

test('the message for a missing key of `npm start` names the file that has it', () => {
  const encrypted = createSecrets([newKey('dev-0a1b2c')]).encrypt('s3cret', location);
  expect(() => createSecrets([]).decrypt(encrypted, location)).toThrow(
    `SECRETS_KEYS has no key "dev-0a1b2c", which webhooks.secret of ${location.id} was encrypted with; ` +
      '`npm start` keeps it in its .data/secrets-key.json',
  );
});

describe('without a key', () => {
  const encrypted = createSecrets([newKey('k1')]).encrypt('s3cret', location);
  const secrets = createSecrets([]);

  test.each(['s3cret', '', 'v1:', 'v0:x', 'v0:v1:x'])('a text is stored unchanged: %s', (text) => {
    expect(secrets.encrypt(text, location)).toBe(text);
    expect(secrets.decrypt(text, location)).toBe(text);
  });

  test.each([encrypted, `v0:${encrypted}`, `v0:v0:${encrypted}`])(
    'a text that looks encrypted is read unchanged: %.12s',
    (text) => {
      expect(secrets.decrypt(secrets.encrypt(text, location), location)).toBe(text);
      expect(createSecrets([newKey('k2')]).decrypt(secrets.encrypt(text, location), location)).toBe(text);
    },
  );
});
