import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { type Database, hasJit, openDatabase } from './open.js';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const open = (options?: string) => {
  const url = new URL(database.url);
  if (options) url.searchParams.set('options', options);
  db = openDatabase({ url: url.href, connections: 2 });
};
const readByPool = async (name: string) => (await db.pool.query(`SHOW ${name}`)).rows[0]?.[name];
const readByPrisma = async (name: string) => {
  const rows: Record<string, string>[] = await db.prisma.$queryRawUnsafe(`SHOW ${name}`);
  return rows[0]?.[name];
};

test('sessions switch JIT off, which the server has on', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  expect((await client.query('SHOW jit')).rows).toEqual([{ jit: 'on' }]);
  await client.end();
  open();
  expect([await readByPool('jit'), await readByPrisma('jit')]).toEqual(['off', 'off']);
  await db.close();
});

test('the options of the url apply beside ours, which win', async () => {
  open('-c work_mem=5MB -c jit=on -c tcp_keepalives_idle=99');
  const read = await Promise.all(['work_mem', 'jit', 'tcp_keepalives_idle'].map(readByPool));
  expect(read).toEqual(['5MB', 'off', '10']);
  await db.close();
});

test('a session that has JIT on after all is noticed', async () => {
  db = openDatabase({ url: database.url, connections: 1 });
  expect(await hasJit(db)).toBe(false);
  // As behind a pooler that drops what a session asks for.
  await db.pool.query('SET jit = on');
  expect(await hasJit(db)).toBe(true);
  await db.close();
});
