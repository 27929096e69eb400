import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount, type Database, openDatabase } from '@ringback/ledger';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { run, type Running } from './processes.js';

let database: TestDatabase;
let db: Database;
let api: Running;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connectTimeoutMs: 60_000 });
  const env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  api = run('apps/api/dist/main.js', { env });
});
afterAll(async () => {
  await api.stop();
  await db.close();
  await database.drop();
});

test('an account whose requests all wait for one row leaves database connections to the others', async () => {
  const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  const [busy, other] = [await createAccount(db, { name: 'busy' }), await createAccount(db, { name: 'other' })];
  const call = customer(baseUrl, busy.accessToken);
  const input = { name: 'hook', uri: 'https://example.com/', status: '0' };
  const { body } = await call('POST', '/developer/webhooks', input);
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM webhooks WHERE id = $1 FOR NO KEY UPDATE', [body.data.id]);
  // As many as the API admits.
  const path = `/developer/webhooks/${body.data.id}`;
  const edits = Array.from({ length: 8 }, (_, index) => call('PATCH', path, { name: `hook ${index}` }));
  const waitingSql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  try {
    await until(async () => (await db.pool.query(waitingSql)).rows.length >= 6, 'the edits wait for the row');
    expect((await customer(baseUrl, other.accessToken)('GET', '/developer/webhooks')).status).toBe(200);
  } finally {
    await client.query('COMMIT');
    client.release();
    await Promise.all(edits);
  }
});
