import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.js';

const settings = { fsync: 'off' };
let folder: string;
let started: EmbeddedPostgres[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-embedded-'));
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((postgres) => postgres.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ folder, settings });
  started.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

test('a second start has the data, the address and the password of the first', async () => {
  const first = await start();
  await query(first.url, `CREATE TABLE kept AS SELECT 'é' AS text`);
  await first.stop();
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, `SELECT upper(text) AS text FROM kept`)).toEqual([{ text: 'É' }]);
  expect(statSync(join(folder, 'connection.json')).mode & 0o777).toBe(0o600);
});

test('a schema with the name of the user does not hide the tables of public', async () => {
  const { url } = await start();
  await query(url, `CREATE SCHEMA ${new URL(url).username}`);
  await query(url, 'CREATE TABLE plain ()');
  expect(await query(url, `SELECT schemaname FROM pg_tables WHERE tablename = 'plain'`)).toEqual([
    { schemaname: 'public' },
  ]);
});

test('a wrong password is refused', async () => {
  const { url } = await start();
  const stranger = Object.assign(new URL(url), { password: 'guess' }).href;
  await expect(query(stranger, 'SELECT 1')).rejects.toThrow('password authentication failed');
});

test('a server of this process that was left running is stopped first', async () => {
  const left = await start();
  await query(left.url, 'CREATE TABLE kept ()');
  const next = await start();
  await left.ended;
  expect(await query(next.url, 'SELECT * FROM kept')).toEqual([]);
});

test('a server whose process still runs is left alone, and a second start says in one line which process it is', async () => {
  const { url } = await start();
  const connection = JSON.parse(readFileSync(join(folder, 'connection.json'), 'utf8'));
  writeFileSync(join(folder, 'connection.json'), JSON.stringify({ ...connection, owner: process.ppid }));
  await expect(startEmbeddedPostgres({ folder, settings })).rejects.toThrow(
    new RegExp(`^Ringback already runs in this folder, as process ${process.ppid}; .*$`),
  );
  expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a killed server recovers at its next start', async () => {
  const killed = await start();
  await query(killed.url, 'CREATE TABLE kept ()');
  process.kill(Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  await killed.ended;
  expect(await query((await start()).url, 'SELECT * FROM kept')).toEqual([]);
});

test('a stale postmaster.pid with the id of another process is ignored, and that process is left alone', async () => {
  await (await start()).stop();
  // The port is that of the last server, on which nothing listens now.
  const { port } = JSON.parse(readFileSync(join(folder, 'connection.json'), 'utf8'));
  writeFileSync(join(folder, 'data/postmaster.pid'), [process.pid, folder, 1, port, '', '127.0.0.1', ''].join('\n'));
  expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('the folder of a temporary server is removed when it stops', async () => {
  const postgres = await startEmbeddedPostgres({ folder, settings, temporary: true });
  await postgres.stop();
  expect(existsSync(folder)).toBe(false);
});
