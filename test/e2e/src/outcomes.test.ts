import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createAccount,
  createPlatformToken,
  createWebhook,
  type Database,
  openDatabase,
  recordAttempts,
  storeEvents,
} from '@ringback/ledger';
import { deliveredAttempt } from '@ringback/ledger/fixture';
import { createTemporaryFolder, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { root, run } from './processes.js';

let database: TestDatabase;
let db: Database;
let folder: string;
let accountId: string;
let webhookId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = createTemporaryFolder('ringback-outcomes');
  db = openDatabase({ url: database.url, connections: 6, connectTimeoutMs: 60_000 });
  ({ id: accountId } = await createAccount(db, { name: 'test' }));
  const fields = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
  const { webhook } = await createWebhook(db, accountId, { ...fields, bodyTemplate: null, signing: true });
  webhookId = webhook.id;
});
afterAll(async () => {
  await db.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Stores events and records an attempt of each delivery, on three connections, in transactions that overlap. */
async function deliver(name: string, count: number): Promise<void> {
  const recordHalf = async (part: number) => {
    const client = await db.pool.connect();
    for (let n = part; n < count; n += 3) {
      const ids = { accountId, webhookId, identity: null, platformEventId: `${name}-${n}`, mobile: null };
      const [stored] = await storeEvents(db, [
        { name: 'sms:message:status', ...ids, messageId: `${name}-${n}`, payload: `{"id":"${name}-${n}"}` },
      ]);
      const deliveries = await client.query('SELECT id FROM deliveries WHERE event_id = $1', [stored?.eventId]);
      await client.query('BEGIN');
      await recordAttempts({ ...db, pool: client as never }, [
        { ...deliveredAttempt, deliveryId: deliveries.rows[0]?.id, startedAt: new Date() },
      ]);
      await sleep(part * 5);
      await client.query('COMMIT');
    }
    client.release();
  };
  await Promise.all([0, 1, 2].map(recordHalf));
  await untilNothingIsHeldBack();
}

/**
 * Resolves when the transactions of this moment have ended, also those of other tests on the server: they hold rows
 * back.
 */
async function untilNothingIsHeldBack(): Promise<void> {
  const { rows } = await db.pool.query<{ next: string }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
  );
  await until(async () => {
    const older = 'SELECT 1 FROM pg_current_snapshot() AS s WHERE pg_snapshot_xmin(s) < $1::text::xid8';
    return (await db.pool.query(older, [rows[0]?.next])).rowCount === 0;
  }, 'older transactions have ended');
}

/** The rows that the tables say there are. */
async function expectedRows(name: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ row: string }>(
    `SELECT t || ' ' || d.id || ' ' || a.number AS row FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
      JOIN events e ON e.id = d.event_id, unnest(ARRAY['attempt', 'delivery']) t
      WHERE e.message_id LIKE $1 AND (t = 'attempt' OR d.state <> 'pending')`,
    [`${name}-%`],
  );
  return rows.map(({ row }) => row).sort();
}

type Row = { type: string; delivery_id: string; attempt_number: number };
const nameOf = ({ type, delivery_id: id, attempt_number: number }: Row) => `${type} ${id} ${number}`;

// Appends each page with its cursor in one write, as a reader with a database would commit both together.
const readerSource = `
import { appendFileSync, readFileSync } from 'node:fs';
import { createClient } from '${pathToFileURL(join(root, 'packages/client/dist/index.js')).href}';
const [baseUrl, token, file] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8').split('\\n').filter((line) => line.endsWith('}'));
const start = lines.length > 0 ? JSON.parse(lines.at(-1)).cursor : undefined;
for await (const { data, cursor } of createClient({ baseUrl, token }).outcomes.follow({ cursor: start, limit: 9 })) {
  appendFileSync(file, JSON.stringify({ rows: data, cursor }) + '\\n');
}`;

test('a reader that is killed and resumed under load misses no row and gets none twice', async () => {
  const { token } = await createPlatformToken(db, { name: 'desk', scopes: ['outcomes'] });
  const api = run('apps/api/dist/main.js', { env: { DATABASE_URL: database.url, PORT: '0', LOG_FORMAT: 'json' } });
  const [, port] = await api.waitFor(/"port":(\d+)/);
  const [source, file] = [`${folder}/reader.mjs`, `${folder}/rows`];
  writeFileSync(source, readerSource);
  writeFileSync(file, '');
  const pages = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'));
  const rows = () => pages().flatMap((line) => (JSON.parse(line) as { rows: Row[] }).rows.map(nameOf));
  const start = () =>
    spawn(process.execPath, [source, `http://127.0.0.1:${port}/api/v2`, token, file], { stdio: 'ignore' });
  const load = deliver('a', 300);
  let reader = start();
  for (let kills = 0; kills < 5; kills++) {
    const before = pages().length;
    await until(() => pages().length >= before + 3);
    reader.kill('SIGKILL');
    await once(reader, 'exit');
    reader = start();
  }
  await load;
  const expected = await expectedRows('a');
  expect(expected).toHaveLength(600);
  await until(() => rows().length >= expected.length);
  reader.kill('SIGKILL');
  await once(reader, 'exit');
  expect(rows().sort()).toEqual(expected);
  expect(await api.stop()).toBe(0);
});

const command = (args: string[]) =>
  run('apps/cli/dist/main.js', { args: ['outcomes', ...args], env: { DATABASE_URL: database.url } });
const linesOf = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Row & { cursor: string });

test('the command line prints each row once, and with a name goes on where it ended', async () => {
  await deliver('b', 20);
  const first = command(['--to', '-', '--name', 'desk', '--once']);
  expect(await first.ended).toBe(0);
  const printed = linesOf(first.output());
  const expected = await expectedRows('b');
  const isOf = new Set(expected);
  expect(
    printed
      .map(nameOf)
      .filter((row) => isOf.has(row))
      .sort(),
  ).toEqual(expected);
  await deliver('c', 5);
  const second = command(['--to', '-', '--name', 'desk', '--once']);
  await second.ended;
  expect(linesOf(second.output()).map(nameOf).sort()).toEqual(await expectedRows('c'));
  const third = command(['--to', '-', '--cursor', printed.at(-1)?.cursor ?? '', '--types', 'delivery', '--once']);
  await third.ended;
  expect(linesOf(third.output()).map(nameOf).sort()).toEqual(
    (await expectedRows('c')).filter((row) => row.startsWith('delivery')),
  );
});

/** Resolves when a publisher has looked for further outcomes so many times. */
async function untilPolls(count: number): Promise<void> {
  const polls = new Set<string>();
  await until(async () => {
    const { rows } = await db.pool.query<{ at: string }>(
      `SELECT query_start::text AS at FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'WITH found AS%'`,
    );
    for (const { at } of rows) polls.add(at);
    return polls.size > count;
  }, 'further polls');
}

test('a publisher that has nothing to do writes nothing to the database', async () => {
  await deliver('d', 1);
  const publisher = command(['--to', '-', '--name', 'idle']);
  await publisher.waitFor(/"platform_event_id":"d-0"/);
  const storedAt = async () =>
    (await db.pool.query(`SELECT updated_at::text AS at FROM outcome_readers WHERE name = 'idle'`)).rows;
  await untilPolls(2);
  const before = await storedAt();
  await untilPolls(3);
  const after = await storedAt();
  expect(await publisher.stop()).toBe(0);
  expect(before).toHaveLength(1);
  expect(after).toEqual(before);
});

test.each([
  [['--to', 'http://127.0.0.1/'], /^ringback: --to must look like amqp:[^\n]*, or be - for stdout\n$/],
  [['--to', 'kafka://127.0.0.1:1'], /^ringback: --topic is required for Kafka\n$/],
  [['--to', 'amqp://127.0.0.1:1'], /^ringback: RabbitMQ needs --queue or --exchange, and not both\n$/],
  [['--to', 'amqp://u:s3cret@127.0.0.1:1', '--queue', 'q'], /^ringback: --to: the broker cannot be used \([^\n]*\)\n$/],
  [['--to', '-', '--cursor', 'x'], /^ringback: [^\n]*It must be the cursor of a row\.\n$/],
  [[], /^ringback: --to or OUTCOMES_URL is required\n$/],
])('%j is refused with one line', async (args, line) => {
  const refused = command(args);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toMatch(line);
  expect(refused.output()).not.toContain('s3cret');
});
