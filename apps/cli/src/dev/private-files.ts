import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedKey, OperatorError } from '@ringback/process';

/** Writes a JSON file atomically. Only this user can read it. */
export function writePrivate(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Reads a JSON file. Undefined when it cannot be read or parsed. */
export function readPrivate(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The SECRETS_KEYS of the API and the worker. If it is not set, a key is generated for the embedded PostgreSQL and
 * saved in the folder. If it is set later, the saved key still decrypts older values. With DATABASE_URL no key is
 * generated, because other programs that use that database would not have it.
 */
export function ensureSecretsKeys(
  { SECRETS_KEYS: given = '', DATABASE_URL: databaseUrl = '' }: NodeJS.ProcessEnv,
  folder: string,
): string {
  if (databaseUrl !== '') return given;
  const path = join(folder, generatedKey.file);
  const generated = existsSync(path) ? readKey(path) : given === '' ? generateKey(path) : '';
  return [given, generated].filter((keys) => keys !== '').join(',');
}

function generateKey(path: string): string {
  const key = `${generatedKey.idPrefix}${randomBytes(3).toString('hex')}:${randomBytes(32).toString('base64')}`;
  writePrivate(path, { key });
  return key;
}

function readKey(path: string): string {
  const saved = readPrivate(path);
  if (typeof saved === 'object' && saved !== null && 'key' in saved && typeof saved.key === 'string') return saved.key;
  throw new OperatorError(
    `${path} does not contain a key; the encrypted values in the database cannot be read without it`,
  );
}
