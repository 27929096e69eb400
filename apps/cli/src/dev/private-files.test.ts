import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfig } from '@ringback/process';
import { ensureSecretsKeys } from './private-files.js';

const given = `mine:${Buffer.alloc(32, 1).toString('base64')}`;
const external = { DATABASE_URL: 'postgresql://host/db' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const idsOf = (keys: string) => readConfig({ SECRETS_KEYS: keys }, ['SECRETS_KEYS']).SECRETS_KEYS.map(({ id }) => id);
const file = () => join(folder, 'secrets-key.json');

test('a key for the embedded database is generated once, and only this user can read it', () => {
  const key = ensureSecretsKeys({}, folder);
  expect(idsOf(key)).toEqual([expect.stringMatching(/^dev-[0-9a-f]{6}$/)]);
  expect(ensureSecretsKeys({}, folder)).toBe(key);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a SECRETS_KEYS that is set later encrypts, and the generated key still decrypts', () => {
  const key = ensureSecretsKeys({}, folder);
  expect(ensureSecretsKeys({ SECRETS_KEYS: given }, folder)).toBe(`${given},${key}`);
});

test('no key is generated when SECRETS_KEYS is set from the start', () => {
  expect(ensureSecretsKeys({ SECRETS_KEYS: given }, folder)).toBe(given);
});

test('no key is generated for the database of DATABASE_URL', () => {
  expect(ensureSecretsKeys(external, folder)).toBe('');
  expect(ensureSecretsKeys({ ...external, SECRETS_KEYS: given }, folder)).toBe(given);
});

test('a file without a key is an error, and is not replaced', () => {
  writeFileSync(file(), 'torn');
  expect(() => ensureSecretsKeys({}, folder)).toThrow(`${file()} does not contain a key`);
});
