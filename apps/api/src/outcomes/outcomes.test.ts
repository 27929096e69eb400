import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createPartitions,
  dropPartitions,
  formatOutcomeCursor,
  parseOutcomeCursor,
  platformScopes,
  readOutcomes,
  updateAccount,
} from '@ringback/ledger';
import { endsBefore, until } from '@ringback/testing';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  uuid,
} from '../api.fixture.js';
import { failure, makeAttempt, pushAttempted, pushEvent } from '../deliveries/deliveries.fixture.js';

let api: TestApi;
let platform: Client;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform(['outcomes']);
  account = await api.makeAccount();
  await updateAccount(api.db, account.id, { externalId: 'customer-1' });
  webhookId = (await makeWebhook(account)).id;
});
afterAll(() => api.close());

const path = '/platform/outcomes';
const deliver = (messageId: string, changes = {}) => pushAttempted(api.db, { webhookId, messageId }, changes);

/** The rows after a cursor, when there are at least `count`: tests on the same server delay what is visible. */
async function rowsAfter(cursor: string | null, count: number, client = platform) {
  const query = cursor === null ? '' : `&cursor=${cursor}`;
  return until(async () => {
    const { body } = await client.get(`${path}?limit=1000${query}`).expect(200);
    return body.data.length >= count ? body : undefined;
  });
}

/** The cursor after all rows, when no other transaction holds any back. */
async function newestCursor(): Promise<string> {
  await until(async () => (await readOutcomes(api.db, { cursor: null, limit: 1 })).heldSince === null);
  return (await rowsAfter(null, 1)).meta.next_cursor;
}

test('an attempt and the delivery that ended with it are rows with the fields of the contract', async () => {
  const id = await deliver('m-1');
  const { data, meta } = await rowsAfter(null, 2);
  const common = {
    cursor: expect.stringMatching(/^[\w-]{40}$/),
    at: '2026-11-21T10:00:00.042000Z',
    account_id: account.id,
    external_id: 'customer-1',
    webhook_id: webhookId,
    event: 'sms:message:status',
    event_id: uuid,
    platform_event_id: uuid,
    message_id: 'm-1',
    delivery_id: id,
    attempt_number: 1,
    state: 'delivered',
    outcome: 'response',
    response_code: 200,
    duration_ms: 42,
  };
  expect(data).toEqual([
    { ...common, type: 'attempt' },
    { ...common, type: 'delivery' },
  ]);
  expect(meta).toEqual({ next_cursor: data[1].cursor });
});

test('a reader that passes on cursors gets each row once, whatever the limit', async () => {
  const start = await newestCursor();
  const ids = [await deliver('m-2'), await deliver('m-3', failure), await deliver('m-4')];
  const { data: all } = await rowsAfter(start, 6);
  expect(all.map(({ delivery_id: id }: { delivery_id: string }) => id)).toEqual(ids.flatMap((id) => [id, id]));
  const oneByOne = [];
  for (let cursor = start; oneByOne.length < 6;) {
    const { body } = await platform.get(`${path}?limit=1&cursor=${cursor}`).expect(200);
    oneByOne.push(...body.data);
    cursor = body.data[0].cursor;
  }
  expect(oneByOne).toEqual(all);
  const { body } = await platform.get(`${path}?types=delivery&cursor=${start}`).expect(200);
  expect(body.data).toEqual(all.filter(({ type }: { type: string }) => type === 'delivery'));
  const { body: none } = await platform.get(`${path}?cursor=${all[5].cursor}`).expect(200);
  expect([none.data, none.meta]).toEqual([[], { next_cursor: all[5].cursor }]);
});

/** Returns a function that resolves when a request has begun to wait since: it polls. */
async function watchWaits(): Promise<() => Promise<unknown>> {
  const { rows } = await api.db.pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  const pollSql = `SELECT FROM pg_stat_activity WHERE query LIKE '%ORDER BY n.position%' AND pid <> pg_backend_pid()
    AND datname = current_database() AND query_start > $1::timestamptz`;
  return () => until(async () => ((await api.db.pool.query(pollSql, [rows[0]?.now])).rowCount ?? 0) > 0);
}

test('a request that waits ends with the first row', async () => {
  const start = await newestCursor();
  const isWaiting = await watchWaits();
  const waiting = platform.get(`${path}?wait=30&types=delivery&cursor=${start}`).then(({ body }) => body.data);
  await isWaiting();
  const id = await deliver('m-5');
  expect(await waiting).toMatchObject([{ type: 'delivery', delivery_id: id }]);
});

test('a wait ends when its time is over, and at once when the process stops', async () => {
  const start = await newestCursor();
  const { body } = await platform.get(`${path}?wait=1&cursor=${start}`).expect(200);
  expect([body.data, body.meta]).toEqual([[], { next_cursor: start }]);
  const stopping = new AbortController();
  const other = await api.variant({ stopping: stopping.signal });
  const isWaiting = await watchWaits();
  const waiting = other.clientOf(platform.token).get(`${path}?wait=30&cursor=${start}`).expect(200);
  const ended = waiting.then(({ body: { data } }) => data);
  await isWaiting();
  stopping.abort();
  expect(await endsBefore(15_000, () => ended)).toEqual([]);
});

test('waiting requests hold no connection, at most 100 wait, and one whose client leaves makes room', async () => {
  const start = await newestCursor();
  const url = `http://127.0.0.1:${api.port}/api/v2${path}?wait=30&cursor=${start}`;
  const headers = { Authorization: `Bearer ${platform.token}` };
  const clients = Array.from({ length: 100 }, () => new AbortController());
  // On a busy machine, a request may be refused because two others have read for seconds.
  const waits = clients.map(async ({ signal }) => {
    while (!signal.aborted) await fetch(url, { headers, signal }).catch(() => undefined);
  });
  const refused = await until(async () => {
    const response = await platform.get(`${path}?limit=1`);
    return response.status === 429 ? response : undefined;
  });
  expect(refused.body).toEqual(errorBody(429, 'TooManyRequests', 'Too many requests read outcomes. Try again later.'));
  await account.get('/developer/webhooks').expect(200);
  clients[0]?.abort();
  const makesRoom = () => until(async () => (await platform.get(`${path}?limit=1`)).status === 200);
  // Before the waits are over.
  await endsBefore(15_000, makesRoom);
  for (const client of clients) client.abort();
  await Promise.all(waits);
});

const message = {
  cursor: 'The cursor is invalid.',
  limit: 'The limit parameter must be a whole number from 1 to 1000.',
  wait: 'The wait parameter must be a whole number from 0 to 30.',
  types: 'The types parameter must have only attempt, delivery.',
} as const;

test.each([
  ['cursor', 'x'],
  [
    'cursor',
    Buffer.from('{"id":"0199f3a0-9e33-7abc-8def-0123456789ab","_pointsToNextItems":true}').toString('base64url'),
  ],
  ['limit', '0'],
  ['limit', '1001'],
  ['limit', '1.5'],
  ['limit', '-1'],
  ['wait', '31'],
  ['wait', 'long'],
  ['types', 'event'],
  ['types', 'attempt,webhook'],
] as const)('%s=%s is a 422 that names the parameter', async (name, value) => {
  const { body } = await platform.get(`${path}?${name}=${value}`).expect(422);
  expect(body).toEqual(errorBody(422, 'ValidationError', message[name], { [name]: [message[name]] }));
});

test('empty parameters are absent ones, and the errors of several are listed together', async () => {
  await platform.get(`${path}?cursor=&limit=&wait=&types=`).expect(200);
  const { body } = await platform.get(`${path}?cursor=x&limit=0`).expect(422);
  expect(body.message).toBe('The cursor is invalid. (and 1 more error)');
  expect(Object.keys(body.errors)).toEqual(['cursor', 'limit']);
});

test('a cursor that the database has not reached is a 422', async () => {
  const cursor = parseOutcomeCursor(await newestCursor())!;
  const ahead = formatOutcomeCursor({ ...cursor, position: String(BigInt(cursor.position) + 10_000_000n) });
  const { body } = await platform.get(`${path}?cursor=${ahead}`).expect(422);
  expect(Object.keys(body.errors)).toEqual(['cursor']);
});

test('the scope outcomes is needed, and a platform token', async () => {
  const others = await api.makePlatform(platformScopes.filter((scope) => scope !== 'outcomes'));
  const { body } = await others.get(path).expect(403);
  expect(body.message).toBe('This token lacks the scope "outcomes".');
  await account.get(path).expect(401);
  await platform.post(path, {}).expect(405);
});

test('what an open transaction holds back is said in the response, and the log names the transaction', async () => {
  const start = await newestCursor();
  const id = await pushEvent(api.db, { webhookId, messageId: 'm-6' });
  const client = await api.db.pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN; CREATE TABLE left_open (id INTEGER)');
    await deliver('m-7', { startedAt: new Date(Date.now() - 60_000) });
    const { body } = await platform.get(`${path}?cursor=${start}`).expect(200);
    expect(body).toMatchObject({ data: [], meta: { next_cursor: start, held_since: time } });
    // An API names one transaction a minute. Other tests write on the same server, and theirs may be older for a
    // moment.
    const named = await until(async () => {
      const fresh = await api.variant({});
      await fresh.clientOf(platform.token).get(`${path}?cursor=${start}`).expect(200);
      return fresh.logged.find(({ words }) => words[0] === 'outcomes.held' && Object(words[1]).pid === rows[0]?.pid);
    });
    expect(named).toMatchObject({ level: 'warn', words: ['outcomes.held', { application: 'ringback' }] });
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  await makeAttempt(api.db, id);
  expect((await rowsAfter(start, 4)).meta).not.toHaveProperty('held_since');
});

test('a cursor before what retention has removed is a 410', async () => {
  const other = await startApi();
  try {
    const own = await other.makeAccount();
    const { id: hook } = await makeWebhook(own);
    for (const messageId of ['o-1', 'o-2']) await pushAttempted(other.db, { webhookId: hook, messageId });
    const reader = await other.makePlatform();
    const { data, meta } = await rowsAfter(null, 4, reader);
    const later = { retentionDays: 30, now: Date.now() + 40 * 86_400_000 };
    await createPartitions(other.db.pool, later);
    await dropPartitions(other.db, later);
    const { body } = await reader.get(`${path}?cursor=${data[0].cursor}`).expect(410);
    expect(body).toEqual(errorBody(410, 'Gone', expect.stringContaining('no longer kept')));
    await reader.get(`${path}?cursor=${meta.next_cursor}`).expect(200);
    expect((await reader.get(path).expect(200)).body).toMatchObject({ data: [], meta: { next_cursor: null } });
  } finally {
    await other.close();
  }
});

test('readers find every row once while attempts are recorded in overlapping transactions', async () => {
  const start = await newestCursor();
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push(await pushEvent(api.db, { webhookId, messageId: `p-${n}` }));
  // Two connections record, in transactions that end in another order than they began.
  const writing = Promise.all(
    [0, 1].map(async (half) => {
      const client = await api.db.pool.connect();
      for (let n = half; n < ids.length; n += 2) {
        await client.query('BEGIN');
        await makeAttempt({ ...api.db, pool: client as never }, ids[n] ?? '');
        await sleep(half === 0 ? 20 : 2);
        await client.query('COMMIT');
      }
      client.release();
    }),
  );
  const seen: string[] = [];
  for (let cursor = start; seen.length < 120;) {
    const { body } = await platform.get(`${path}?wait=30&limit=7&cursor=${cursor}`).expect(200);
    seen.push(...body.data.map((row: { type: string; delivery_id: string }) => `${row.type} ${row.delivery_id}`));
    cursor = body.meta.next_cursor;
  }
  await writing;
  expect(seen.toSorted()).toEqual(ids.flatMap((id) => [`attempt ${id}`, `delivery ${id}`]).toSorted());
});
