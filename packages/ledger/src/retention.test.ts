import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type Database,
  deleteOldChanges,
  isTransientDatabaseError,
  dropPartitions,
  deleteExpiredPortalSessions,
  endDeliveries,
  checkLedger,
  loadTasks,
  measurePartitionsAhead,
  createPartitions,
  migrate,
  openDatabase,
  retryRejectedEvent,
} from './index.js';
import { createTestDatabase } from '@ringback/testing';
import { sampleEvent } from '@ringback/rules';
import pg from 'pg';
import { openTestLedger, type TestLedger } from './ledger.fixture.js';

const dayMs = 86_400_000;
let ledger: TestLedger;
let db: Database;
let webhookId: string;

beforeAll(async () => {
  ledger = await openTestLedger();
  ({ db } = ledger);
  webhookId = await ledger.makeWebhook();
});
afterAll(() => ledger.close());

const countPartitions = async (client: pg.Client) =>
  (await client.query(`SELECT FROM pg_inherits WHERE inhparent = 'events'::regclass`)).rowCount;
const store = (id: string) => ledger.store(id, webhookId);
const count = async (table: string) =>
  Number((await db.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]!.n);

test('partitions are created ahead of time, once, and future rows are stored in them', async () => {
  const now = Date.now();
  const made = await createPartitions(db.pool, { retentionDays: 30, now: now + 10 * dayMs });
  expect(made.length).toBeGreaterThan(0);
  expect(await createPartitions(db.pool, { retentionDays: 30, now: now + 10 * dayMs })).toEqual([]);
  const id = (now + 25 * dayMs).toString(16).padStart(12, '0');
  const later = `${id.slice(0, 8)}-${id.slice(8)}-7000-8000-000000000000`;
  const { rows } = await db.pool.query<{ name: string }>(
    `INSERT INTO events (id, state) VALUES ($1, 'unrouted') RETURNING tableoid::regclass::text AS name`,
    [later],
  );
  expect(made).toContain(rows[0]!.name);
});

test('a repeated migration creates no partitions; their length follows the retention', async () => {
  const own = await createTestDatabase();
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  try {
    const made = await createPartitions(client, { retentionDays: 3, now: Date.now() + 7 * dayMs });
    const days = made
      .filter((name) => name.startsWith('events_'))
      .map((name) => Date.parse(name.slice(-8).replace(/(..)(..)$/, '-$1-$2')));
    expect(days.length).toBeGreaterThan(1);
    expect(days.slice(1).map((day, index) => (day - days[index]!) / dayMs)).toEqual(days.slice(1).map(() => 1));
    await migrate(own.url);
    expect(await createPartitions(client, { retentionDays: 3, now: Date.now() + 7 * dayMs })).toEqual([]);
    expect(await countPartitions(client)).toBe(days.length + 1);
  } finally {
    await client.end();
    await own.drop();
  }
});

test('the partitions of a range are created together, or not at all if a table is locked', async () => {
  const own = await createTestDatabase();
  const other = openDatabase({ url: own.url, connections: 2, connectTimeoutMs: 60_000 });
  const readRanges = async (table: string) => {
    const sql = `SELECT pg_get_expr(relpartbound, c.oid) AS range FROM pg_class c
      JOIN pg_inherits ON inhrelid = c.oid AND inhparent = $1::regclass ORDER BY 1`;
    return (await other.pool.query<{ range: string }>(sql, [table])).rows.map(({ range }) => range);
  };
  try {
    const [now, before] = [Date.now() + 40 * dayMs, await readRanges('attempts')];
    const client = await other.pool.connect();
    await client.query('BEGIN; LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE');
    await expect(createPartitions(other.pool, { retentionDays: 30, now })).rejects.toMatchObject({ code: '55P03' });
    await client.query('ROLLBACK');
    client.release();
    expect(await readRanges('attempts')).toEqual(before);
    await createPartitions(other.pool, { retentionDays: 50, now });
    for (const table of ['delivery_ends', 'deliveries', 'events'])
      expect(await readRanges(table)).toEqual(await readRanges('attempts'));
  } finally {
    await other.close();
    await own.drop();
  }
});

test('partitions that an earlier version made in the schema of the queues are dropped too', async () => {
  const own = await createTestDatabase();
  const other = openDatabase({ url: own.url, connections: 2, connectTimeoutMs: 60_000 });
  try {
    await other.pool.query(`CREATE SCHEMA ringback; ALTER TABLE deliveries_first SET SCHEMA ringback;
      ALTER TABLE events_first SET SCHEMA ringback`);
    const late = { retentionDays: 30, now: Date.now() + 40 * dayMs };
    await createPartitions(other.pool, late);
    const names = ['attempts_first', 'delivery_ends_first', 'ringback.deliveries_first', 'ringback.events_first'];
    expect((await dropPartitions(other, late)).slice(0, 4)).toEqual(names);
  } finally {
    await other.close();
    await own.drop();
  }
});

test('how far the partitions reach is measured, by the table', async () => {
  const now = Date.now();
  await createPartitions(db.pool, { retentionDays: 30, now });
  const ahead = await measurePartitionsAhead(db, now);
  expect(Object.keys(ahead).sort()).toEqual(['attempts', 'deliveries', 'delivery_ends', 'events']);
  expect(Object.values(ahead).every((seconds) => seconds >= 18 * 86_400)).toBe(true);
  const later = await measurePartitionsAhead(db, now + 400 * dayMs);
  expect(Object.values(later).every((seconds) => seconds < 0)).toBe(true);
});

test('every partition has the indexes of its table', async () => {
  const { rows } = await db.pool.query<{ name: string; n: number }>(
    `SELECT i.inhrelid::regclass::text AS name, count(x.indexrelid)::int AS n FROM pg_inherits i
      JOIN pg_index x ON x.indrelid = i.inhrelid WHERE i.inhparent = 'deliveries'::regclass GROUP BY 1`,
  );
  const [whole] = (
    await db.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_index WHERE indrelid = 'deliveries'::regclass`,
    )
  ).rows;
  expect(rows.length).toBeGreaterThan(2);
  expect(new Set(rows.map(({ n }) => n))).toEqual(new Set([whole!.n]));
});

test('old partitions are dropped with their idempotency keys, but none with a pending delivery', async () => {
  const stored = await store('a');
  const [delivery = ''] = await ledger.deliveriesOf(stored);
  const late = { retentionDays: 30, now: Date.now() + 40 * dayMs };
  expect(await dropPartitions(db, { retentionDays: 30 })).toEqual([]);
  expect(await dropPartitions(db, { ...late, retentionDays: 0 })).toEqual([]);
  await createPartitions(db.pool, late);
  expect(await dropPartitions(db, late)).not.toContain('deliveries_first');
  expect((await store('a')).state).toBe('duplicate');

  await endDeliveries(db, [{ id: delivery, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
  expect(await dropPartitions(db, late)).toEqual([
    'attempts_first',
    'delivery_ends_first',
    'deliveries_first',
    'events_first',
  ]);
  expect(await loadTasks(db, [delivery])).toEqual([]);
  expect([await count('event_keys'), await count('deliveries')]).toEqual([0, 0]);
});

/** When the range of the oldest partition that has a lower bound begins. */
async function beginOfSecondPartition({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT substring(pg_get_expr(relpartbound, c.oid) FROM '[0-9a-f-]{36}') AS id FROM pg_class c
      JOIN pg_inherits ON inhrelid = c.oid AND inhparent = 'events'::regclass ORDER BY 1 LIMIT 1`,
  );
  return Number.parseInt(rows[0]!.id.replaceAll('-', '').slice(0, 12), 16);
}

test('a partition that is kept for a pending delivery keeps its idempotency keys when a younger one is dropped', async () => {
  const own = await openTestLedger();
  try {
    const webhook = await own.makeWebhook();
    await own.store('kept', webhook);
    const begin = await beginOfSecondPartition(own.db);
    const late = { retentionDays: 30, now: begin + 40 * dayMs };
    await createPartitions(own.db.pool, late);
    await own.db.pool.query(
      `WITH young AS (INSERT INTO events (id, state) VALUES (ringback_uuid_v7_at($1), 'unrouted') RETURNING id)
        INSERT INTO event_keys (key, event_id) SELECT 'young', id FROM young`,
      [new Date(begin + 1)],
    );
    const dropped = await dropPartitions(own.db, late);
    expect([dropped.length > 0, dropped.includes('events_first')]).toEqual([true, false]);
    expect((await own.store('kept', webhook)).state).toBe('duplicate');
    expect((await own.db.pool.query(`SELECT FROM event_keys WHERE key = 'young'`)).rowCount).toBe(0);
  } finally {
    await own.close();
  }
});

test('a range is kept while a delivery of its last event, which is in the next range, is pending', async () => {
  const own = await openTestLedger();
  try {
    const begin = await beginOfSecondPartition(own.db);
    const [before, after] = [new Date(begin - 1), new Date(begin + 1)];
    const late = { retentionDays: 30, now: begin + 31 * dayMs };
    await createPartitions(own.db.pool, late);
    await own.db.pool.query(
      `WITH event AS (
          INSERT INTO events (id, state, delivery_count) VALUES (ringback_uuid_v7_at($1), 'routed', 1) RETURNING id
        ) INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, due_at)
          SELECT ringback_uuid_v7_at($2), id, $3, $4, 'sms', now() FROM event`,
      [before, after, own.accountId, await own.makeWebhook()],
    );
    expect(await dropPartitions(own.db, late)).toEqual([]);
    await own.db.pool.query(`UPDATE deliveries SET state = 'failed', reason = 'webhook inactive', due_at = NULL`);
    expect(await dropPartitions(own.db, late)).toContain('events_first');
  } finally {
    await own.close();
  }
});

test('a rejected event that is retried is kept as long as its deliveries', async () => {
  const own = await openTestLedger();
  try {
    const begin = await beginOfSecondPartition(own.db);
    const webhook = await own.makeWebhook();
    const { rows } = await own.db.pool.query<{ id: string }>(
      `INSERT INTO events (id, name, state, reason, envelope)
        VALUES (ringback_uuid_v7_at($1), 'sms:message:status', 'rejected', 'webhook_id names no webhook', $2) RETURNING id`,
      [new Date(begin - 365 * dayMs), JSON.stringify(sampleEvent('sms', { webhookId: webhook }))],
    );
    const retried = await retryRejectedEvent(own.db, rows[0]!.id);
    const [delivery] = await own.deliveriesOf({ eventId: retried!.eventId });
    // An id begins with 48 bits of time.
    expect(retried!.eventId.slice(0, 9)).toBe(delivery!.slice(0, 9));
    expect((await own.db.pool.query('SELECT FROM events')).rowCount).toBe(1);
  } finally {
    await own.close();
  }
});

test.each([
  [1, 0],
  [61_000, 2],
])(
  'an event and a delivery without each other, %i ms after a dropped partition: the audit finds %i problems',
  async (ms, missed) => {
    const begin = await beginOfSecondPartition(db);
    const [storedAt, droppedAt] = [new Date(begin + ms), new Date(begin - 1)];
    await db.pool.query(
      `INSERT INTO events (id, state, delivery_count) VALUES (ringback_uuid_v7_at($1), 'routed', 1)`,
      [storedAt],
    );
    await db.pool.query(
      `INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, state, reason, due_at)
      VALUES (ringback_uuid_v7_at($1), ringback_uuid_v7_at($2), $3, $4, 'sms', 'skipped', 'webhook inactive', NULL)`,
      [storedAt, ms > 60_000 ? new Date(begin + 60_500) : droppedAt, ledger.accountId, webhookId],
    );
    expect(await checkLedger(db, { since: new Date(0), limit: 10 })).toHaveLength(missed);
  },
);

test('the audit misses nothing beside a dropped partition when an older one is kept', async () => {
  const { rows } = await db.pool.query<{ name: string; id: string }>(
    `SELECT c.relname AS name, substring(pg_get_expr(relpartbound, c.oid) FROM '[0-9a-f-]{36}') AS id FROM pg_class c
      JOIN pg_inherits ON inhrelid = c.oid AND inhparent = 'events'::regclass ORDER BY 2`,
  );
  const [, second] = rows;
  const begin = Number.parseInt(second!.id.replaceAll('-', '').slice(0, 12), 16);
  const store = (ms: number) =>
    db.pool.query(`INSERT INTO events (id, state, delivery_count) VALUES (ringback_uuid_v7_at($1), 'routed', 1)`, [
      new Date(begin + ms),
    ]);
  const find = () => checkLedger(db, { since: new Date(0), limit: 10 });
  const before = (await find()).length;
  await store(-1);
  expect(await find()).toHaveLength(before + 1);
  for (const table of ['attempts', 'deliveries', 'events'])
    await db.pool.query(`DROP TABLE ${second!.name.replace('events', table)}`);
  expect(await find()).toHaveLength(before);
  await store(-61_000);
  expect(await find()).toHaveLength(before + 1);
});

test('changes are deleted by their age', async () => {
  const later = Date.now() + 366 * dayMs;
  const made = await count('changes');
  expect(made).toBeGreaterThan(0);
  expect(await deleteOldChanges(db, { keptDays: 365 })).toBe(0);
  expect(await deleteOldChanges(db, { keptDays: 0, now: later })).toBe(0);
  expect(await deleteOldChanges(db, { keptDays: 365, now: later })).toBe(made);
  expect(await count('changes')).toBe(0);
});

test('portal sessions are deleted a day after they expire', async () => {
  const store = (name: string, age: string) =>
    db.pool.query(
      `INSERT INTO portal_sessions (account_id, link_hash, bearer_hash, scopes, expires_at)
        VALUES ($1, $2, $2, '{read}', now() - $3::interval)`,
      [ledger.accountId, name, age],
    );
  await store('old', '25 hours');
  await store('expired', '23 hours');
  await store('live', '-1 hour');
  expect(await deleteExpiredPortalSessions(db)).toBe(1);
  const { rows } = await db.pool.query('SELECT link_hash FROM portal_sessions ORDER BY 1');
  expect(rows.map(({ link_hash: name }) => name)).toEqual(['expired', 'live']);
});

test('without a partition, storing an event fails with a transient error, and works when there is one again', async () => {
  const own = await openTestLedger();
  try {
    const webhook = await own.makeWebhook();
    const partitionsSql = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`;
    const { rows } = await own.db.pool.query<{ name: string }>(partitionsSql);
    for (const { name } of rows) await own.db.pool.query(`ALTER TABLE events DETACH PARTITION ${name}`);
    const refusal: unknown = await own.store('early', webhook).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: '23514' });
    expect(isTransientDatabaseError(refusal)).toBe(true);
    await own.db.pool.query('CREATE TABLE everything PARTITION OF events DEFAULT');
    expect(await own.store('early', webhook)).toMatchObject({ state: 'routed' });
  } finally {
    await own.close();
  }
});
