import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  storeEvents,
  createAccessTokenFinder,
  type Database,
  checkLedger,
  listDeliveries,
  listWebhooks,
  openDatabase,
} from '@ringback/ledger';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { runCli } from './cli.js';
import { accountRow, deliveries, earlierRows, eventOf, idOf, tokenOf } from './earlier-rows.js';
import { root, run } from './processes.js';
import { readRows, type Rows } from './table-rows.js';

const folder = join(root, 'prisma/migrations');
const migrations = readdirSync(folder)
  .filter((name) => /^\d/.test(name))
  .sort();
const last = migrations.length;
const stateBefore = (name: string) => migrations.findIndex((migration) => migration.endsWith(`_${name}`));
// The states whose waiting deliveries a worker attempts: the first release, the last one that keeps jobs of deliveries
// in BullMQ, and the newest schema but one.
const statesWithWorker = new Set([1, stateBefore('ledger_dispatch'), last - 1]);

// The state whose next migration is interrupted.
const interruptedState = stateBefore('partitions');

type Earlier = { state: number; name: string; database: TestDatabase; rows: Rows };

let receiver: Receiver;
let partlyMigrated: TestDatabase;
let interrupted: TestDatabase;
const earlier = new Map<number, Earlier>();
const databases: TestDatabase[] = [];

// The table of `prisma migrate deploy`.
const migrationsTable = `CREATE TABLE "_prisma_migrations" (id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

async function connected<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return use(client).finally(() => client.end());
}

/** Applies the migration number `state`, the next one, and adds rows as its release did. */
const applyNextMigration = (state: number) =>
  connected(partlyMigrated.url, async (client) => {
    const name = migrations[state - 1] ?? '';
    if (state === 1) await client.query(migrationsTable);
    await client.query(readFileSync(join(folder, name, 'migration.sql'), 'utf8'));
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name) VALUES ($1, '', now(), $2)`,
      [String(state), name],
    );
    const rows = earlierRows({ migrations: migrations.slice(0, state), origin: receiver.origin });
    await client.query(rows.join(';\n'));
    return { state, name, rows: await readRows(client) };
  });

const copy = async () => {
  const database = await createTestDatabase(partlyMigrated.name);
  databases.push(database);
  return database;
};
const migrateBy = async (database: TestDatabase) => {
  const { code, stdout, stderr } = await runCli(['migrate', '--json'], { env: { DATABASE_URL: database.url } });
  return {
    code,
    stderr,
    applied: stdout && (JSON.parse(stdout) as { migration: string }[]).map(({ migration }) => migration),
  };
};

beforeAll(async () => {
  receiver = await startReceiver();
  partlyMigrated = await createTestDatabase('template0');
  for (let state = 1; state <= last; state++) {
    const migrated = await applyNextMigration(state);
    earlier.set(state, { ...migrated, database: await copy() });
    if (state === interruptedState) interrupted = await copy();
  }
});
afterAll(async () => {
  await receiver.close();
  for (const database of [partlyMigrated, ...databases]) await database.drop();
});

/** The rows that are expected after the upgrade: the earlier ones, with the changes that migrations document. */
function upgraded(rows: Rows, state: number): Rows {
  const expected = { ...rows };
  if (state <= stateBefore('partitions')) {
    const events = rows.events ?? [];
    expected.event_keys = events.filter(({ key }) => key).map(({ key = null, id }) => ({ key, event_id: id ?? null }));
    expected.events = events.map(({ key: _key, ...event }) => event);
  }
  if (state <= stateBefore('trimmed_identities'))
    expected.subscriptions = (rows.subscriptions ?? [])
      .filter(({ identity }) => identity !== ' number:1')
      .map((row) => ({ ...row, identity: row.identity?.trim() ?? null }));
  if (state <= stateBefore('resumed_webhooks') && rows.changes)
    expected.changes = rows.changes.map((row) =>
      row.action === 'webhook.released' ? { ...row, action: 'webhook.resumed' } : row,
    );
  return expected;
}

const sorted = (rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([table, all]) => [table, all.map((row) => JSON.stringify(row)).sort()]));

describe.each(migrations.map((name, index) => [name, index + 1] as const))('a database of %s', (_name, state) => {
  let db: Database;
  const earlierState = () => {
    const known = earlier.get(state);
    if (!known) throw new Error(`no database of state ${state}`);
    return known;
  };
  afterAll(() => db?.close());

  test('keeps every value of every row when it is upgraded', async () => {
    const { database, rows } = earlierState();
    expect(await migrateBy(database)).toEqual({ code: 0, stderr: '', applied: migrations.slice(state) });
    const expected = upgraded(rows, state);
    const upgradedRows = await connected(database.url, (client) => readRows(client, expected));
    expect(sorted(upgradedRows)).toEqual(sorted(expected));
  });

  test('serves its customers as before', async () => {
    db = openDatabase({ url: earlierState().database.url, connections: 1, connectTimeoutMs: 60_000 });
    const accountId = idOf(state, accountRow);
    expect(await createAccessTokenFinder(db)(tokenOf(state))).toMatchObject({
      accountId,
      scopes: ['read', 'write', 'replay'],
    });
    const hasPaused = state > stateBefore('pause_and_rate_limit');
    const list = await listWebhooks(db, accountId, { names: [], trashed: 'with', page: 1, perPage: 10 });
    expect([list.total, list.webhooks.length]).toEqual(hasPaused ? [3, 3] : [2, 2]);
    const log = await listDeliveries(db, accountId, { filter: {}, perPage: 100, cursor: null });
    expect(log.deliveries.length).toBe(
      earlierState().rows.deliveries?.filter((row) => row.account_id === accountId).length,
    );
    const [again] = await storeEvents(db, [eventOf(state, 'delivered')]);
    expect(again).toMatchObject({ state: 'duplicate', eventId: idOf(state, deliveries.delivered + 20) });
  });

  if (!statesWithWorker.has(state)) return;

  test('has waiting deliveries that a worker attempts once each', async () => {
    const { database, rows } = earlierState();
    const waiting = (rows.deliveries ?? []).filter(({ state: of, id }) => of === 'pending' && isDue(id ?? ''));
    const env = { DATABASE_URL: database.url, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
    const worker = run('apps/worker/dist/main.js', { env });
    const before = receiver.calls.length;
    await until(
      async () => (await countPending(db, waiting)) === 0,
      () => worker.output(),
    );
    expect(await worker.stop()).toBe(0);
    const called = receiver.calls.slice(before).map(({ body }) => JSON.parse(body.toString()).id as string);
    expect(called.length).toBe(waiting.length);
    expect(new Set(called).size).toBe(waiting.length);
    const { rows: others } = await db.pool.query('SELECT id, state::text FROM deliveries WHERE NOT id = ANY($1)', [
      waiting.map(({ id }) => id),
    ]);
    const unchanged = (rows.deliveries ?? []).filter((row) => !waiting.includes(row));
    expect(new Map(others.map(({ id, state: now }) => [id, now]))).toEqual(
      new Map(unchanged.map(({ id, state: then }) => [id, then])),
    );
    expect(await checkLedger(db, { since: new Date(0), limit: 10 })).toEqual([]);
  });
});

const notDue: number[] = [deliveries.later, deliveries.ofPausedWebhook];
const isDue = (id: string) => !notDue.includes(Number(id.slice(-2)));

async function countPending(db: Database, waiting: Rows[string]): Promise<number> {
  const ids = waiting.map(({ id }) => id);
  const { rows } = await db.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM deliveries WHERE id = ANY($1) AND state = 'pending'`,
    [ids],
  );
  return rows[0]?.n ?? -1;
}

describe('a database that lacks migrations', () => {
  const missing = last - interruptedState;
  const first = migrations[interruptedState];
  const line = `ringback: the database lacks ${missing} of the migrations of this version, from ${first} on; run \`ringback migrate\` first\n`;

  test('is refused by every process and command with one line', async () => {
    const env = { DATABASE_URL: interrupted.url, PORT: '0' };
    const processes = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env }));
    expect(await runCli(['account', 'list'], { env })).toEqual({ code: 1, stdout: '', stderr: line });
    for (const program of processes) expect([await program.ended, program.output()]).toEqual([1, line]);
  });

  test('is migrated although the first `ringback migrate` was killed within a migration', async () => {
    const env = { DATABASE_URL: interrupted.url };
    const reader = new pg.Client({ connectionString: interrupted.url });
    await reader.connect();
    // Before the migration waits for this table, it creates and fills another one.
    await reader.query('BEGIN; LOCK TABLE attempts IN ACCESS SHARE MODE');
    const killed = run('apps/cli/dist/main.js', { args: ['migrate'], env });
    const pid = await until(async () => {
      const { rows } = await reader.query<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE relation = 'attempts'::regclass AND NOT granted`,
      );
      return rows[0]?.pid;
    });
    await killed.stop('SIGKILL');
    const second = run('apps/cli/dist/main.js', { args: ['migrate', '--json'], env });
    await second.waitFor(new RegExp(`^ringback: waiting for PostgreSQL session ${pid}, which applies migrations\n`));
    await reader.query('COMMIT');
    await reader.end();
    expect(await second.ended).toBe(0);
    expect(JSON.parse(second.output().replace(/^.*\n/, '')).length).toBe(missing);
    const { rows } = earlier.get(interruptedState)!;
    const expected = upgraded(rows, interruptedState);
    const upgradedRows = await connected(interrupted.url, (client) => readRows(client, expected));
    expect(sorted(upgradedRows)).toEqual(sorted(expected));
  });
});
