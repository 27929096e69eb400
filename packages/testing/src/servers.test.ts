import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findInstalledPostgres } from './installed-postgres.js';
import { backends, createTestDatabase } from './servers.js';

test('each test database has all tables and no rows of another one', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => createTestDatabase()));
  for (const { url, drop } of databases) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`SELECT count(*)::int AS n FROM accounts`);
    await client.query(`INSERT INTO accounts (name, callback_token) VALUES ('a', 'b')`);
    await client.end();
    expect(rows).toEqual([{ n: 0 }]);
    await drop();
  }
});

test('a test database can be dropped while it is in use', async () => {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await drop();
  await expect(client.query('SELECT 1')).rejects.toThrow();
});

const onMachine = findInstalledPostgres() ? test : test.skip;

onMachine("tests run on the machine's PostgreSQL, which sorts by the rules of a language", async () => {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, 'a' < 'B' AS "sortsByLanguage"`,
  );
  expect(rows).toEqual([
    { version: expect.stringContaining(findInstalledPostgres()?.version ?? ''), sortsByLanguage: true },
  ]);
  await client.end();
  await drop();
});

describe.each(backends)('the backend $name', ({ name, redisUrl }) => {
  test('has the URL of a Redis only if it is Redis', () => {
    expect(redisUrl !== undefined).toBe(name === 'redis');
  });
});
