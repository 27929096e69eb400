import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

/** The warning of a process that starts without `SECRETS_KEY`. */
export const unencryptedSecretsWarning =
  'SECRETS_KEY is not set: secrets of webhooks and accounts are stored unencrypted';

const keyBytes = 32;
const isHex = (text: string) => /^[0-9a-f]{64}$/i.test(text);
const isBase64 = (text: string) => /^[A-Za-z0-9+/_-]{43}=?$/.test(text);

/**
 * Parses `SECRETS_KEY`: a comma-separated list of 32-byte keys, each `name:key` with the key in base64 or hex. A key
 * without a name is named after the start of its SHA-256. Throws an Error that does not repeat the value.
 */
export function parseSecretKeys(text: string): { id: string; key: KeyObject }[] {
  const keys = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const names = new Set(keys.map(({ id }) => id));
  if (names.size < keys.length) throw new Error('has two keys with the same name');
  return keys;
}

function parseKey(entry: string, position: number): { id: string; key: KeyObject } {
  const [, name, encoded = ''] = /^(?:([A-Za-z0-9_-]{1,32}):)?([^:]*)$/.exec(entry) ?? [];
  const bytes = isHex(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(isBase64(encoded) ? encoded : '', 'base64');
  if (bytes.length !== keyBytes) {
    throw new Error(`must be keys of 32 bytes, separated by commas, each as name:base64; number ${position} is not`);
  }
  const id = name ?? createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}
