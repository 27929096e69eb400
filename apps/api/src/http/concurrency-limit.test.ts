import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@ringback/ledger';
import { until } from '@ringback/testing';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { enter, openSession } from '../portal-sessions/portal-sessions.fixture.js';

let api: TestApi;
let account: TestAccount;
const dbs: Database[] = [];
beforeAll(async () => void (api = await startApi({ concurrencyPerAccount: 2 })));
afterAll(async () => {
  await api.close();
  for (const db of dbs) await db.close();
});
beforeEach(async () => void (account = await api.makeAccount()));

const openDb = (options: { connections: number; queryTimeoutMs?: number; connectTimeoutMs?: number }) => {
  const db = openDatabase({ url: String(api.db.pool.options.connectionString), ...options, onError: () => undefined });
  dbs.push(db);
  return db;
};

// On a busy machine a request may wait for longer than the default allows.
const patient = { concurrencyWaitMs: 60_000 };
const tooMany = errorBody(429, 'TooManyRequests', 'Too many concurrent requests for this account.');
let unlock: (() => Promise<unknown>) | undefined;
afterEach(async () => unlock?.());

/** Blocks every statement on a table until `unlock`. */
async function lock(table: string): Promise<void> {
  const holder = await openDb({ connections: 1 }).pool.connect();
  await holder.query('BEGIN');
  // The transaction is idle for longer than the default allows.
  await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await holder.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  unlock = async () => {
    unlock = undefined;
    await holder.query('ROLLBACK');
    holder.release();
  };
}

async function countAtLock(): Promise<number> {
  const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'`;
  const { rows } = await api.deps.reservedDb.pool.query<{ n: number }>(waiting);
  return rows[0]?.n ?? 0;
}

const statusesOf = async (calls: PromiseLike<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status).sort();
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the requests of an account', () => {
  test('run up to the limit; further requests wait and then get a 429; other accounts are not affected', async () => {
    const [{ id }, other] = [await makeWebhook(account), await api.makeAccount()];
    await lock('webhooks');
    const refused: unknown[] = [];
    const answers = times(12, async () => {
      const { status, body, headers } = await account.get(`/developer/webhooks/${id}`);
      if (status === 429) refused.push([body, headers['retry-after']]);
      return { status };
    });
    await until(async () => (await countAtLock()) === 2);
    await other.get('/developer/events').expect(200);
    await until(() => refused.length === 10);
    expect(await countAtLock()).toBe(2);
    expect(new Set(refused.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify([tooMany, '1'])]));
    await unlock?.();
    expect(await statusesOf(answers)).toEqual([200, 200, ...times(10, () => 429)]);
  });

  test('count together with those of its portal sessions', async () => {
    const { id } = await makeWebhook(account);
    const sessions = [await openSession(account, { webhook_ids: [id] }), await openSession(account)];
    const [restricted, unrestricted] = [await enter(api, sessions[0]!), await enter(api, sessions[1]!)];
    await lock('webhooks');
    const answers = [account, restricted].map((client) =>
      client.get(`/developer/webhooks/${id}`).then((response) => response),
    );
    await until(async () => (await countAtLock()) === 2);
    expect((await unrestricted.get(`/developer/webhooks/${id}`)).body).toEqual(tooMany);
    await unlock?.();
    expect(await statusesOf(answers)).toEqual([200, 200]);
    await unrestricted.get(`/developer/webhooks/${id}`).expect(200);
  });

  test('run one search at a time, on one database connection', async () => {
    const wide = await api.variant({ ...patient, concurrencyPerAccount: 8, db: openDb({ connections: 8 }) });
    const client = wide.clientOf(account.token);
    await lock('deliveries');
    const answers = times(4, () => client.get('/developer/deliveries').then((response) => response));
    await until(async () => (await countAtLock()) === 1);
    await client.get('/developer/events').expect(200);
    expect(await countAtLock()).toBe(1);
    await unlock?.();
    expect(await statusesOf(answers)).toEqual([200, 200, 200, 200]);
  });

  test('start a search only after a cool-down as long as the previous search', async () => {
    const client = (await api.variant(patient)).clientOf(account.token);
    await lock('deliveries');
    const answers = times(2, () => client.get('/developer/deliveries').then((response) => response));
    await until(async () => (await countAtLock()) === 1);
    const lockedAt = performance.now();
    // The first search takes longer than ten requests, and so longer than two searches without a cool-down.
    const other = await api.makeAccount();
    for (let request = 0; request < 10; request++) await other.get('/developer/events').expect(200);
    const unlockedAt = performance.now();
    await unlock?.();
    expect(await statusesOf(answers)).toEqual([200, 200]);
    expect(performance.now() - unlockedAt).toBeGreaterThan(unlockedAt - lockedAt);
  });

  test('wait for their turn before their body is read', async () => {
    const { id } = await makeWebhook(account);
    await lock('webhooks');
    const answers = times(2, () => account.get(`/developer/webhooks/${id}`).then((response) => response));
    await until(async () => (await countAtLock()) === 2);
    // Its headers arrive, but never its body.
    const headers = {
      authorization: `Bearer ${account.token}`,
      'content-length': 100,
      'content-type': 'application/json',
    };
    const options = { port: api.port, path: '/api/v2/developer/webhooks', method: 'POST', headers };
    const status = await new Promise((resolve, reject) => {
      const request = http.request(options, (response) => resolve(response.statusCode));
      request.on('error', reject).write('{');
    });
    expect(status).toBe(429);
    await unlock?.();
    expect(await statusesOf(answers)).toEqual([200, 200]);
  });

  test('keep their permits after a disconnect, until their statements have ended', async () => {
    const { id } = await makeWebhook(account);
    await lock('webhooks');
    const path = `/api/v2/developer/webhooks/${id}`;
    const headers = { authorization: `Bearer ${account.token}` };
    const requests = times(2, () => http.get({ port: api.port, path, headers }).on('error', () => undefined));
    await until(async () => (await countAtLock()) === 2);
    for (const request of requests) request.destroy();
    const refused = await account.get(`/developer/webhooks/${id}`);
    expect([refused.status, await countAtLock()]).toEqual([429, 2]);
    await unlock?.();
    await until(async () => (await account.get(`/developer/webhooks/${id}`)).status === 200);
  });
});

test('a list that takes too long is cancelled in the database: 503 with Retry-After', async () => {
  const quick = await api.variant({ db: openDb({ connections: 2, queryTimeoutMs: 100 }), reservedDb: api.db });
  await lock('webhooks');
  const { status, body, headers } = await quick.clientOf(account.token).get('/developer/webhooks?filter[name]=a');
  const message = 'The request took too long and was cancelled. Try again later.';
  expect([status, body]).toEqual([503, errorBody(503, 'ServiceUnavailable', message)]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(await countAtLock()).toBe(0);
});

test('lists of events take no connection from authentication and single events', async () => {
  const bulkDb = openDb({ connections: 1, connectTimeoutMs: 60_000 });
  const separatePools = await api.variant({ reservedDb: openDb({ connections: 1 }), bulkDb });
  const taken = await bulkDb.pool.connect();
  const { token } = await api.makePlatform();
  const client = separatePools.clientOf(token);
  const eventOf = (id: string) => ({ event: 'sms:message:status', account_id: account.id, payload: { id } });
  const lists = times(3, () =>
    client.post('/events', [eventOf('bulk:1'), eventOf('bulk:2')]).then(({ status }) => status),
  );
  try {
    await until(() => Promise.resolve(bulkDb.pool.waitingCount === 3));
    await separatePools.clientOf('unknown').get('/developer/webhooks').expect(401);
    await client.post('/events', eventOf('single:1')).expect(202);
    expect(bulkDb.pool.waitingCount).toBe(3);
  } finally {
    taken.release();
  }
  expect(await Promise.all(lists)).toEqual([202, 202, 202]);
});

test('authentication, /readyz and POST /events have connections that lists cannot take', async () => {
  const db = openDb({ connections: 1 });
  const separatePools = await api.variant({ db, reservedDb: openDb({ connections: 1 }) });
  const taken = await db.pool.connect();
  try {
    await separatePools.raw.get('/readyz').expect(200);
    await separatePools.clientOf('unknown').get('/developer/webhooks').expect(401);
    await separatePools.clientOf(account.token).get('/developer/events').expect(200);
    const event = { event: 'sms:message:status', account_id: account.id, payload: { id: 'm:1' } };
    const { token } = await api.makePlatform();
    await separatePools.clientOf(token).post('/events', event).expect(202);
  } finally {
    taken.release();
  }
});
