import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createAccount, createWebhook, openDatabase, storeEvents } from '@ringback/ledger';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { runCli } from './cli.js';
import { root, run } from './processes.js';

const migration = '29990101000000_later';
// Before it waits for the table of attempts, it creates and fills a table of its own.
const migrationSql = `CREATE TABLE later AS SELECT count(*)::int AS events FROM events;
  ALTER TABLE attempts ADD COLUMN later INTEGER;`;

let newer: string;
let database: TestDatabase;

/** Creates the tree of a newer version: this one with one more migration. */
function makeNewerVersion(): string {
  const home = mkdtempSync(join(tmpdir(), 'ringback-newer-'));
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const parts = workspaces.flatMap((workspace) => [`${workspace}/package.json`, `${workspace}/dist`]);
  for (const part of ['package.json', 'prisma/migrations', ...parts].filter((path) => existsSync(join(root, path))))
    cpSync(join(root, part), join(home, part), { recursive: true });
  mkdirSync(join(home, 'node_modules/@ringback'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => entry !== '@ringback'))
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name));
  for (const name of readdirSync(join(home, 'packages')))
    symlinkSync(join(home, 'packages', name), join(home, 'node_modules/@ringback', name));
  mkdirSync(join(home, 'prisma/migrations', migration));
  writeFileSync(join(home, 'prisma/migrations', migration, 'migration.sql'), migrationSql);
  return join(home, '/');
}

/** Stores an event with a delivery, as this version does. */
async function store(url: string): Promise<string | undefined> {
  const db = openDatabase({ url, connections: 1, connectTimeoutMs: 60_000 });
  try {
    const { id: accountId } = await createAccount(db, { name: 'acme' });
    const fields = { active: true, secret: null, verificationCode: null, bodyTemplate: null, signing: true };
    const { webhook } = await createWebhook(db, accountId, { name: 'hook', uri: 'https://x.example/', ...fields });
    const target = { accountId, webhookId: webhook.id, identity: null, platformEventId: null };
    const content = { name: 'sms:message:status' as const, messageId: 'm', mobile: null, payload: '{"id":"m"}' };
    const [stored] = await storeEvents(db, [{ ...target, ...content }]);
    return stored?.state;
  } finally {
    await db.close();
  }
}

beforeAll(async () => {
  newer = makeNewerVersion();
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(newer, { recursive: true });
});

test('a newer version refuses to run before its migration is applied, in one line', async () => {
  const env = { DATABASE_URL: database.url, PORT: '0' };
  const line = `ringback: the database lacks 1 of the migrations of this version, from ${migration} on; run \`ringback migrate\` first\n`;
  const processes = [
    run('apps/api/dist/main.js', { env, from: newer }),
    run('apps/worker/dist/main.js', { env, from: newer }),
    run('apps/cli/dist/main.js', { args: ['account', 'list'], env, from: newer }),
  ];
  for (const program of processes) expect([await program.ended, program.output()]).toEqual([1, line]);
});

test('its migration is applied once although the first `ringback migrate` was killed within it, and this version goes on', async () => {
  expect(await store(database.url)).toBe('routed');
  const env = { DATABASE_URL: database.url };
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('BEGIN; LOCK TABLE attempts IN ACCESS SHARE MODE');
    const killed = run('apps/cli/dist/main.js', { args: ['migrate'], env, from: newer });
    const waiting = `SELECT pid FROM pg_locks WHERE relation = 'attempts'::regclass AND NOT granted`;
    const pid = await until(async () => (await client.query<{ pid: number }>(waiting)).rows[0]?.pid, 'it waits');
    await killed.stop('SIGKILL');
    const second = run('apps/cli/dist/main.js', { args: ['migrate', '--json'], env, from: newer });
    await second.waitFor(new RegExp(`^ringback: waiting for PostgreSQL session ${pid}, which applies migrations\n`));
    await client.query('COMMIT');
    expect(await second.ended).toBe(0);
    expect(JSON.parse(second.output().replace(/^.*\n/, ''))).toEqual([{ migration }]);
    expect((await client.query('SELECT events FROM later')).rows).toEqual([{ events: 1 }]);
    expect(await runCli(['migrate', '--json'], { env })).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(await store(database.url)).toBe('routed');
  } finally {
    await client.end();
  }
});
