import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, startTcpProxy, type TcpProxy, type TestDatabase, until } from '@ringback/testing';
import { ringback } from './cli.js';
import { run } from './processes.js';

let database: TestDatabase;
let proxy: TcpProxy;
let env: NodeJS.ProcessEnv;
let observer: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(database.url);
  // Without Redis, so that BullMQ's sessions are PostgreSQL's too.
  const prefix = `e2e_${randomBytes(6).toString('hex')}`;
  env = { DATABASE_URL: proxy.proxyUrlFor(database.url), QUEUE_PREFIX: prefix, PORT: '0', LOG_FORMAT: 'json' };
  observer = new pg.Client({ connectionString: database.url });
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await proxy.close();
  await database.drop();
});

/** The settings in the first message of a session, by name. Its length and the protocol's version precede them. */
const readStartup = (greeting: Buffer) => {
  const words = greeting.subarray(8).toString().split('\0');
  return Object.fromEntries(words.flatMap((name, at) => (at % 2 === 0 && name ? [[name, words[at + 1]]] : [])));
};

async function show(name: 'jit' | 'max_parallel_workers_per_gather', options: string): Promise<string> {
  const client = new pg.Client({ connectionString: database.url, options });
  await client.connect();
  const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
  await client.end();
  return rows[0]?.[name] ?? '';
}
const showJit = (options: string) => show('jit', options);

const isListening = async () => {
  const { rows } = await observer.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%LISTEN %'`,
  );
  return rows.length > 0;
};

/** Resolves with the distinct options of the sessions that were opened while `act` ran. */
async function watchSessions(act: () => Promise<unknown>): Promise<Set<string>> {
  const before = proxy.firstChunks.length;
  await act();
  return new Set(proxy.firstChunks.slice(before).map((greeting) => readStartup(greeting).options ?? ''));
}

test('every session of every process switches JIT off', async () => {
  expect(await showJit('')).toBe('on');
  const processes = {
    migrate: () => ringback(['migrate'], { env }),
    'command line': () => ringback(['account', 'create', '--name', 'acme'], { env }),
    'queue commands': () => ringback(['queue', 'depth'], { env }),
    api: async () => {
      const api = run('apps/api/dist/main.js', { env });
      await api.waitFor(/api\.started/);
      expect(await api.stop()).toBe(0);
    },
    worker: async () => {
      const worker = run('apps/worker/dist/main.js', { env });
      await worker.waitFor(/worker\.started/);
      await until(isListening, 'a worker listens');
      expect(await worker.stop()).toBe(0);
    },
  };
  for (const [name, act] of Object.entries(processes)) {
    const sessions = await watchSessions(act);
    expect([name, sessions.size > 0]).toEqual([name, true]);
    for (const options of sessions) expect([name, options, await showJit(options)]).toEqual([name, options, 'off']);
  }
});

test('the API has all of its connections open from the start, and its statements have no parallel workers', async () => {
  const count = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'ringback'`;
  const sessions = await watchSessions(async () => {
    const api = run('apps/api/dist/main.js', { env });
    await api.waitFor(/api\.started/);
    expect((await observer.query<{ n: number }>(count)).rows).toEqual([{ n: 16 }]);
    expect(await api.stop()).toBe(0);
  });
  const settings = [...sessions].map((options) => show('max_parallel_workers_per_gather', options));
  expect(await Promise.all(settings)).toContain('0');
});
