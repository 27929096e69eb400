import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfig } from '@ringback/runtime';
import { provideSecretsKey } from './secrets-key.js';

const given = `mine:${Buffer.alloc(32, 1).toString('base64')}`;
const embedded = { port: 3000, queuePrefix: 'ringback' };
const named = { ...embedded, databaseUrl: 'postgresql://host/db' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const idsOf = (keys: string) => readConfig({ SECRETS_KEY: keys }, ['SECRETS_KEY']).SECRETS_KEY.map(({ id }) => id);
const file = () => join(folder, 'secrets-key.json');

test('the embedded database has a key of its own, made once, which only this user can read', () => {
  const key = provideSecretsKey({}, embedded, folder);
  expect(idsOf(key)).toEqual([expect.stringMatching(/^dev-[0-9a-f]{6}$/)]);
  expect(provideSecretsKey({}, embedded, folder)).toBe(key);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a SECRETS_KEY that is set later seals, and what the own key sealed still opens', () => {
  const key = provideSecretsKey({}, embedded, folder);
  expect(provideSecretsKey({ SECRETS_KEY: given }, embedded, folder)).toBe(`${given},${key}`);
});

test('a SECRETS_KEY that is set from the start is the only one', () => {
  expect(provideSecretsKey({ SECRETS_KEY: given }, embedded, folder)).toBe(given);
});

test('the database that DATABASE_URL names has the keys that were given, and no others', () => {
  expect(provideSecretsKey({}, named, folder)).toBe('');
  expect(provideSecretsKey({ SECRETS_KEY: given }, named, folder)).toBe(given);
});

test('a file that holds no key is not replaced', () => {
  writeFileSync(file(), 'torn');
  expect(() => provideSecretsKey({}, embedded, folder)).toThrow(`${file()} does not hold a key`);
});
