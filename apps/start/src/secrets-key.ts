import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@ringback/runtime';
import { readPrivate, writePrivate } from './private-file.js';
import type { Settings } from './settings.js';

const file = 'secrets-key.json';

/**
 * The SECRETS_KEY of both processes. The embedded PostgreSQL has a key of its own, made once and kept beside it, which
 * still opens what it sealed when SECRETS_KEY is set later. The database that DATABASE_URL names may have other users,
 * who would not know a key of ours: there it is as it was given.
 */
export function provideSecretsKey(
  { SECRETS_KEY: given = '' }: NodeJS.ProcessEnv,
  { databaseUrl }: Settings,
  folder: string,
): string {
  if (databaseUrl !== undefined) return given;
  const path = join(folder, file);
  const own = existsSync(path) ? readKept(path) : given === '' ? makeKey(path) : '';
  return [given, own].filter((keys) => keys !== '').join(',');
}

function makeKey(path: string): string {
  const key = `dev-${randomBytes(3).toString('hex')}:${randomBytes(32).toString('base64')}`;
  writePrivate(path, { key });
  return key;
}

function readKept(path: string): string {
  const kept = readPrivate(path);
  if (typeof kept === 'object' && kept !== null && 'key' in kept && typeof kept.key === 'string') return kept.key;
  throw new StartError(`${path} does not hold a key; what it sealed cannot be read without it`);
}
