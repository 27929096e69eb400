import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findLostSettings } from '../index.js';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { clockAheadMs, type Database, inTransaction, openDatabase } from './database.js';

let database: TestDatabase;
let db: Database;
const notices: unknown[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
  db.pool.on('connect', (client) => client.on('notice', ({ message }) => notices.push(message)));
  await db.pool.query('CREATE TABLE written (n int)');
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const write = (n: number, failure?: Error) =>
  inTransaction(db, async (client) => {
    await client.query('INSERT INTO written VALUES ($1)', [n]);
    if (failure) throw failure;
  });
const written = async () => (await db.pool.query('SELECT n FROM written ORDER BY n')).rows;

test('a transaction commits when its work succeeds and rolls back when it throws, without a warning of the server', async () => {
  await write(1);
  await expect(write(2, new Error('no'))).rejects.toThrow('no');
  await write(3);
  expect([await written(), notices]).toEqual([[{ n: 1 }, { n: 3 }], []]);
});

test.each([
  ['0 s', 0],
  ['1 hour', -3_600_000],
  ['-1 hour', 3_600_000],
])('a slow round trip adds nothing to a difference of the clocks of %s', async (shift, aheadMs) => {
  await db.pool.query('CREATE SCHEMA slow');
  // The time is that of the start, so the middle of the round trip is 150 ms later.
  await db.pool.query(`CREATE FUNCTION slow.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
    DECLARE started timestamptz := pg_catalog.clock_timestamp() + interval '${shift}';
    BEGIN PERFORM pg_sleep(0.3); RETURN started; END $$`);
  await db.pool.query('SET search_path = slow, pg_catalog, public');
  const measuredMs = await clockAheadMs(db);
  await db.pool.query('RESET search_path; DROP SCHEMA slow CASCADE');
  if (aheadMs === 0) expect(measuredMs).toBeCloseTo(0);
  else expect(Math.abs(measuredMs)).toBeLessThan(Math.abs(aheadMs));
  expect(Math.sign(Math.round(measuredMs / 1_000))).toBe(Math.sign(aheadMs));
});

test('a transaction whose connection breaks fails with the error of its work, and the next one gets another connection', async () => {
  await expect(
    inTransaction(db, (client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())')),
  ).rejects.toMatchObject({ code: '57P01' });
  await write(4);
  expect(await written()).toContainEqual({ n: 4 });
});

test('settings of a worker that its sessions lack are found', async () => {
  const worker = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000, planner: 'indexes' });
  try {
    expect(await findLostSettings(worker)).toEqual([]);
    expect(await findLostSettings(db)).toEqual(['enable_mergejoin', 'enable_seqscan', 'plan_cache_mode']);
  } finally {
    await worker.close();
  }
});
