import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@ringback/ledger';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { checkClock, watchClock } from './clock.js';

let database: TestDatabase;
let db: Database;
let failures: unknown[];
let errors: unknown[];
const silent = () => undefined;
const log = { error: (...entry: unknown[]) => void errors.push(entry), warn: silent, info: silent, debug: silent };

beforeEach(async () => {
  database = await createTestDatabase();
  // With one connection, its settings apply to all statements.
  db = openDatabase({ url: database.url, connections: 1, queryTimeoutMs: 1_000 });
  [failures, errors] = [[], []];
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

/** Shifts the database's clock by this interval. */
async function shift(interval: string) {
  await db.pool.query('CREATE SCHEMA wrong');
  await db.pool.query(
    `CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql
     AS $$ SELECT pg_catalog.clock_timestamp() + interval '${interval}' $$`,
  );
  await db.pool.query('SET search_path = wrong, pg_catalog, public');
}
const fail = (error: unknown) => void failures.push(error);

test.each([
  ['10 minutes', 'the clock of this machine is 600 s behind the database'],
  ['-10 minutes', 'the clock of this machine is 600 s ahead of the database'],
])('the check fails when the clock of the database is shifted by %s', async (interval, text) => {
  await shift(interval);
  await expect(checkClock(db)).rejects.toThrow(text);
});

test('one difference alone does not fail the check', async () => {
  await shift('0 s');
  await db.pool.query('CREATE SEQUENCE wrong.calls');
  await db.pool.query(`CREATE OR REPLACE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$
    SELECT pg_catalog.clock_timestamp() + CASE WHEN nextval('wrong.calls') = 1 THEN interval '1 hour' ELSE interval '0' END $$`);
  await checkClock(db);
});

test('the watch ends the process when a later check finds a difference of over 5 s', async () => {
  const watch = watchClock(db, { log, fail, intervalMs: 20 });
  await checkClock(db);
  expect(failures).toEqual([]);
  await shift('6 seconds');
  await until(() => failures.length > 0, 'it is noticed');
  expect(String(failures[0])).toContain('the clock of this machine is 6 s behind');
  await watch.stop();
});

test('the watch does not end the process while the database is unavailable', async () => {
  const unavailable = openDatabase({ url: 'postgresql://user@127.0.0.1:1/nothing', connections: 1 });
  const watch = watchClock(unavailable, { log, fail, intervalMs: 20 });
  await until(() => errors.length > 0, 'it is noticed');
  await watch.stop();
  await unavailable.close();
  expect(failures).toEqual([]);
});
