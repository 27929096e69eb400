import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { nameInUse, setBounded, whereKeyIs } from '@ringback/process';

/** A key for secrets at rest. Its id is stored with each secret that it encrypted. */
export type SecretKey = { id: string; key: KeyObject };

/** The column and row of a secret. An encrypted text can be decrypted only with its own location. */
export type SecretLocation = { column: SecretColumn; id: string };

export type Secrets = {
  /** Returns the text to store: encrypted with the first key, or unencrypted without keys. */
  encrypt(text: string, location: SecretLocation): string;
  /** Returns the secret of a stored text, encrypted or not. Throws an UnreadableSecretError if no key decrypts it. */
  decrypt(stored: string, location: SecretLocation): string;
  /** The prefix of texts that the first key encrypted; null without keys. */
  readonly firstKeyPrefix: string | null;
  readonly keyIds: readonly string[];
};

/**
 * No configured key decrypts a stored secret. The message names the key and the location, and contains nothing of the
 * secret.
 */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

// Decrypted secrets are cached: each callback needs two or three, and decrypting one costs more than signing the body.
const maxCached = 10_000;

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
// An unencrypted text that looks encrypted is stored with the prefix `v0:`. So is such a text that already has this
// prefix, once or more.
const encryptedForm = /^v1:([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{38,})$/;
const escapable = /^(v0:)*v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$/;

/**
 * Encrypts and decrypts secrets at rest. An encrypted text is `v1:<key id>:<base64url of iv, ciphertext, tag>`:
 * AES-256-GCM, with the location as additional data. The first key encrypts, and each key decrypts what it encrypted.
 * Unencrypted texts stay readable.
 */
export function createSecrets(keys: readonly SecretKey[]): Secrets {
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const [first] = keys;
  const cache = new Map<string, string>();
  return {
    encrypt: (text, location) => (first ? `v1:${first.id}:${encrypt(first.key, text, location)}` : escape(text)),
    decrypt(stored, location) {
      const [, keyId, data] = encryptedForm.exec(stored) ?? [];
      if (keyId === undefined || data === undefined) return unescape(stored);
      const key = byId.get(keyId);
      if (!key)
        throw new UnreadableSecretError(
          `${nameInUse('SECRETS_KEYS')} has no key "${keyId}", ${describeUse(keyId, location)}`,
        );
      const cacheKey = `${describe(location)} ${stored}`;
      const cached = cache.get(cacheKey);
      if (cached !== undefined) return cached;
      const text = decrypt({ id: keyId, key }, data, location);
      setBounded(cache, cacheKey, text, maxCached);
      return text;
    },
    firstKeyPrefix: first ? `v1:${first.id}:` : null,
    keyIds: [...byId.keys()],
  };
}

/** Names the secret that the missing key encrypted, and where the key is, if that is known. */
function describeUse(keyId: string, location: SecretLocation): string {
  const where = whereKeyIs(keyId);
  return `which ${describe(location)} was encrypted with${where && `; ${where}`}`;
}

const escape = (text: string) => (escapable.test(text) ? `v0:${text}` : text);
const unescape = (stored: string) => (escapable.test(stored) ? stored.slice(3) : stored);
const describe = ({ column, id }: SecretLocation) => `${column} of ${id.toLowerCase()}`;

function encrypt(key: KeyObject, text: string, location: SecretLocation): string {
  const iv = randomBytes(ivBytes);
  const encryption = createCipheriv(cipher, key, iv, { authTagLength: tagBytes });
  encryption.setAAD(Buffer.from(describe(location)));
  const parts = [iv, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

function decrypt({ id, key }: SecretKey, data: string, location: SecretLocation): string {
  const bytes = Buffer.from(data, 'base64url');
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
  decryption.setAAD(Buffer.from(describe(location))).setAuthTag(bytes.subarray(-tagBytes));
  try {
    return decryption.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
  } catch {
    throw new UnreadableSecretError(
      `the key "${id}" of ${nameInUse('SECRETS_KEYS')} does not decrypt ${describe(location)}: it is another key, or the value was changed`,
    );
  }
}

/** The columns that hold secrets, each with its table. */
export const secretColumns = [
  'accounts.callback_token',
  'webhooks.secret',
  'webhooks.userinfo',
  'webhooks.verification_code',
  'webhooks.signing_secret',
  'webhooks.previous_signing_secret',
] as const;

/** A column that holds secrets, as `table.column`. */
export type SecretColumn = (typeof secretColumns)[number];

/** The table and the name of a column. */
export function splitColumn(column: SecretColumn): { table: string; name: string } {
  const [table = '', name = ''] = column.split('.');
  return { table, name };
}
