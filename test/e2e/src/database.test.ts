import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedPostgres } from '@ringback/embedded';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { sampleEvent } from '@ringback/rules';
import { createTemporaryFolder, startTcpProxy, startTestPostgres, type TcpProxy, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, run, type Running } from './processes.js';

// The processes use a PostgreSQL of their own, without Redis. Its user has the name of the queues' schema, as in
// docker-compose.yml, and what the tests change there concerns no other test file.
const user = 'ringback';
const folder = createTemporaryFolder('ringback-database-test');
const settings = { fsync: 'off', search_path: '"$user", public' };
let server: EmbeddedPostgres;
let receiver: Receiver;
let proxy: TcpProxy;
const running: Running[] = [];

beforeAll(async () => {
  server = await startTestPostgres({ folder: join(folder, 'first'), settings });
  proxy = await startTcpProxy(server.url);
  receiver = await startReceiver();
  await query('postgres', `CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
});
afterEach(async () => {
  await query('postgres', `ALTER ROLE ${user} RESET ALL; ALTER ROLE ${user} PASSWORD 'secret'`);
  await Promise.all(running.splice(0).map((process) => process.stop()));
});
afterAll(async () => {
  await receiver.close();
  await proxy.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Runs a statement as the superuser. */
async function query<R extends pg.QueryResultRow>(database: string, sql: string, url = server.url): Promise<R[]> {
  const client = new pg.Client(Object.assign(new URL(url), { pathname: `/${database}` }).href);
  await client.connect();
  return (await client.query<R>(sql).finally(() => client.end())).rows;
}

/** The URL for the processes. */
const urlOf = (database: string, password = 'secret') =>
  Object.assign(new URL(proxy.proxyUrlFor(server.url)), { username: user, password, pathname: `/${database}` }).href;

const envOf = (database: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: urlOf(database),
  PORT: '0',
  EGRESS_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
  LOG_FORMAT: 'json',
});

async function createDatabase(name: string): Promise<NodeJS.ProcessEnv> {
  await query('postgres', `CREATE DATABASE ${name} OWNER ${user}`);
  await ringback(['migrate'], { env: envOf(name) });
  return envOf(name);
}

/** Starts the API and a worker, and creates an account with a webhook that subscribes to an event. */
async function startService(env: NodeJS.ProcessEnv, path: string) {
  const api = run('apps/api/dist/main.js', { env });
  const worker = run('apps/worker/dist/main.js', { env });
  running.push(api, worker);
  const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  await worker.waitFor(/worker\.started/);
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Record<string, string>;
  const { platform_token: token = '' } = (await ringback(['platform-token', 'create'], { env })) as typeof account;
  const call = customer(baseUrl, account.access_token ?? '');
  const platform = customer(baseUrl, token);
  const createWebhook = () => call('POST', '/developer/webhooks', { name: 'hook', uri: `${receiver.origin}${path}` });
  const { body } = await createWebhook();
  const { id } = body.data;
  /** Pushes an event for the webhook. Resolves with whether it was acknowledged. */
  const push = async (payload: string) => {
    const sample = { ...sampleEvent('sms', { accountId: account.id ?? '', webhookId: id }), payload: { id: payload } };
    return (await platform('POST', '/events', sample)).status === 202;
  };
  const deliveries = async () => (await call('GET', `/developer/deliveries?webhook_id=${id}`)).body.data;
  const readyOf = async () => (await fetch(`${new URL(baseUrl).origin}/readyz`)).status;
  const readyMetric = async () => {
    const text = await (await fetch(`${new URL(baseUrl).origin}/metrics`)).text();
    return /^ringback_ready (\d)$/m.exec(text)?.[1];
  };
  const delivered = () => receiver.calls.filter((received) => received.path === path);
  return { api, worker, call, createWebhook, push, deliveries, delivered, readyOf, readyMetric };
}

const setRole = (setting: string) => `ALTER ROLE ${user} SET ${setting}`;
const hostile = [
  'search_path = "$user", nowhere',
  `DateStyle = 'SQL, DMY'`,
  `TimeZone = 'Asia/Kathmandu'`,
  `IntervalStyle = 'sql_standard'`,
  'standard_conforming_strings = off',
  'jit = on',
  `default_transaction_isolation = 'repeatable read'`,
  `statement_timeout = '1ms'`,
  `lock_timeout = '1ms'`,
];

test.each([
  ['PostgreSQL has its defaults', 'defaults', []],
  ['the settings of the database user are hostile', 'hostile', hostile],
])(
  'all acknowledged events are delivered while migrate runs again, when the user is named like the queues and %s',
  async (_case, name, roleSettings) => {
    for (const setting of roleSettings) await query('postgres', setRole(setting));
    const env = await createDatabase(name);
    const service = await startService(env, `/${name}`);
    let isMigrated = false;
    const migrated = ringback(['migrate'], { env }).finally(() => (isMigrated = true));
    const acknowledged = new Set<string>();
    for (let n = 0; n < 100 || !isMigrated; n++)
      if (await service.push(`${name}:${n}`)) acknowledged.add(`${name}:${n}`);
    expect(await migrated).toEqual([]);
    const isDelivered = (id: string) => service.delivered().some(({ body }) => body.toString().includes(`"${id}"`));
    await until(() => [...acknowledged].every(isDelivered), 'all of them are delivered');
    expect(acknowledged.size).toBeGreaterThanOrEqual(100);
    expect(await service.readyOf()).toBe(200);
    const tables = await query<{ schema: string; count: number }>(
      name,
      `SELECT relnamespace::regnamespace::text AS schema, count(*)::int AS count FROM pg_class
        WHERE relkind IN ('r', 'p') AND relname ~ '^(_prisma|accounts|events|deliveries|attempts)' GROUP BY 1`,
    );
    expect(tables).toEqual([{ schema: 'public', count: expect.any(Number) }]);
  },
);

test('the tables and the queues may be in a schema other than public, also in the same one', async () => {
  await query('postgres', `CREATE DATABASE schemas OWNER ${user}`);
  const env = { ...envOf('schemas'), DATABASE_SCHEMA: 'app', QUEUE_PREFIX: 'app' };
  await ringback(['migrate'], { env });
  const service = await startService(env, '/schemas');
  expect(await service.push('schemas:1')).toBe(true);
  await until(() => service.delivered().length > 0, 'the event is delivered');
  const other = await query(
    'schemas',
    `SELECT FROM pg_tables WHERE schemaname NOT IN ('app', 'pg_catalog', 'information_schema')`,
  );
  expect(other).toHaveLength(0);
});

test('migrate says in one line what to do when the tables are in another schema', async () => {
  const env = await createDatabase('twice');
  const migrate = async (schema: string) => {
    const command = run('apps/cli/dist/main.js', { args: ['migrate'], env: { ...env, DATABASE_SCHEMA: schema } });
    return [await command.ended, command.output()];
  };
  const elsewhere =
    'ringback: the tables of Ringback are in the schema public: set DATABASE_SCHEMA=public (it is app)\n';
  expect(await migrate('app')).toEqual([1, elsewhere]);
});

test('while the password of the database user is another one, the API answers 503 and no attempt is used up', async () => {
  const service = await startService(await createDatabase('rotation'), '/rotation');
  // The result comes after the sessions have ended.
  receiver.answerWith({ status: 200, delayMs: 3_000 });
  expect(await service.push('rotation:1')).toBe(true);
  await until(() => service.delivered().length === 1, 'the callback is made');
  const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`;
  await query('postgres', `ALTER ROLE ${user} PASSWORD 'rotated'; ${endSessions}`);
  await until(async () => (await service.createWebhook()).status === 503, 'the API answers 503');
  for (let n = 0; n < 20; n++) expect((await service.createWebhook()).status).toBe(503);
  expect(await service.readyOf()).toBe(503);
  await query('postgres', `ALTER ROLE ${user} PASSWORD 'secret'`);
  await until(async () => (await service.createWebhook()).status === 200, 'the API answers again');
  await until(async () => (await service.deliveries())[0]?.state === 'delivered', 'the result is recorded');
  expect(service.delivered()).toHaveLength(1);
  expect(service.api.output()).not.toContain('http.failed');
  receiver.answerWith({ status: 200 });
});

test('after a failover that leaves the old primary alive and read-only, all connections move to the new one', async () => {
  const service = await startService(await createDatabase('failover'), '/failover');
  await server.stop();
  execFileSync('cp', ['-a', join(folder, 'first'), join(folder, 'second')]);
  server = await startTestPostgres({ folder: join(folder, 'first'), settings });
  const second = await startTestPostgres({ folder: join(folder, 'second'), settings });
  const canWrite = async () => (await service.createWebhook()).status === 200;
  const countSessions = async (where: string, url: string) =>
    (await query('postgres', `SELECT FROM pg_stat_activity WHERE usename = '${user}' AND ${where}`, url)).length;
  try {
    proxy.pointTo(server.url);
    await until(canWrite, 'the first server is used again');
    await until(async () => (await countSessions(`query ~ 'LISTEN'`, server.url)) > 0, 'a worker listens');
    await query('postgres', 'ALTER SYSTEM SET default_transaction_read_only = on');
    await query('postgres', 'SELECT pg_reload_conf()');
    await until(async () => (await service.readyOf()) === 503, 'the API is not ready while it cannot write');
    await until(async () => (await service.readyMetric()) === '0', 'the metric says so');

    proxy.pointTo(second.url);
    await until(async () => (await service.readyOf()) === 200, 'the API is ready');
    await until(async () => (await service.readyMetric()) === '1', 'the metric says so');
    await until(canWrite, 'webhooks can be created');
    await until(() => service.push('failover:1'), 'an event is acknowledged');
    await until(() => service.delivered().length > 0, 'it is delivered');
    await until(
      async () => (await countSessions(`query ~ 'LISTEN|read_only'`, second.url)) > 0,
      'a worker listens there',
    );
    await until(async () => (await countSessions('true', server.url)) === 0, 'no session is left on the old primary');
  } finally {
    await Promise.all(running.splice(0).map((process) => process.stop()));
    await second.stop();
    await query('postgres', 'ALTER SYSTEM RESET default_transaction_read_only');
    await query('postgres', 'SELECT pg_reload_conf()');
    proxy.pointTo(server.url);
  }
});

const commands = [['migrate'], ['account', 'list'], ['queue', 'depth'], ['event', 'rejected'], ['audit']];

test.each([
  ['without a password', '', 'it requires a password: write postgresql:'],
  ['with a wrong password', 'wrong', 'password authentication failed'],
])('every command that is started %s prints one line and ends with code 1', async (_case, password, reason) => {
  const env = { DATABASE_URL: urlOf('postgres', password), LOG_FORMAT: 'json' };
  for (const args of commands) {
    const command = run('apps/cli/dist/main.js', { args, env });
    expect([args, await command.ended, command.output()]).toEqual([
      args,
      1,
      expect.stringMatching(new RegExp(`^ringback: DATABASE_URL: cannot be reached \\(${reason}[^\\n]+\\n$`)),
    ]);
  }
});
