import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseEvent } from '@ringback/rules';
import {
  storeEvents,
  createAccount,
  type Database,
  listRejectedEvents,
  openDatabase,
  ingestEvents,
} from '@ringback/ledger';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { ByteSemaphore, MessageIngester, parseMessage } from './ingest.js';

let database: TestDatabase;
let db: Database;
const logged: [string, unknown][] = [];
const write = (message: string, fields?: object) => void logged.push([message, fields]);

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connections: 2, onError: () => undefined, connectTimeoutMs: 60_000 });
  await db.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'a defect' USING ERRCODE = 'XX000'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.message_id = 'bad') EXECUTE FUNCTION refuse();`);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test('a message whose event cannot be stored becomes a rejected event, and the other events are stored', async () => {
  const { id: accountId } = await createAccount(db, { name: 'bridge' });
  const states: string[] = [];
  const ingester = new MessageIngester(
    {
      db,
      waker: { wake: () => undefined, close: () => Promise.resolve() },
      log: { error: write, warn: write, info: write, debug: write },
      stopping: new AbortController().signal,
      events: { byState: { inc: ({ state }) => void states.push(state) }, conflicting: { inc: () => {} } },
    },
    undefined,
  );
  const message = (id: string) => ({
    event: 'sms:message:status',
    body: Buffer.from(JSON.stringify({ account_id: accountId, payload: { id, status: 'DELIVRD' } })),
  });
  await Promise.all(['good-1', 'bad', 'good-2'].map((id) => ingester.ingest(message(id))));
  const reason = 'an unexpected error, which is in the log of the bridge';
  expect(await listRejectedEvents(db, { limit: 10 })).toMatchObject([
    { name: 'sms:message:status', reason, envelope: expect.stringContaining('"bad"') },
  ]);
  expect(states.filter((state) => state === 'rejected')).toHaveLength(1);
  expect(states).toHaveLength(3);
  expect(logged).toContainEqual(['event.failed', { event: 'sms:message:status', error: 'a defect', code: 'XX000' }]);
});

test('events whose payloads are together too large for one statement are stored by several', async () => {
  const { id } = await createAccount(db, { name: 'large' });
  const events = ['1', '2', '3'].flatMap((messageId) => {
    const payload = { id: messageId, status: 'DELIVRD', text: 'x'.repeat(5_000_000) };
    const parsed = parseEvent({ event: 'sms:message:status', account_id: id, payload });
    return parsed.ok ? [parsed.event] : [];
  });
  expect(await storeEvents(db, events)).toHaveLength(1);
  const waker = { wake: () => undefined, close: () => Promise.resolve() };
  const stored = await ingestEvents({ db, waker }, events);
  expect(stored.map(({ state }) => state)).toEqual(['duplicate', 'unrouted', 'unrouted']);
});

const accountId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const read = (body: string | Buffer, event?: string, defaultEvent?: string) =>
  parseMessage({ body: Buffer.from(body), event }, defaultEvent);

test('the event is named by the body, else by the message, else by the option', () => {
  const named = JSON.stringify({ event: 'rcs:message:in', account_id: accountId, payload: { id: '1' } });
  const unnamed = JSON.stringify({ account_id: accountId, payload: { id: '1' } });
  expect(read(named, 'rcs:message:status', 'sms:message:status').name).toBe('rcs:message:in');
  expect(read(unnamed, 'rcs:message:status', 'sms:message:status').name).toBe('rcs:message:status');
  expect(read(unnamed, undefined, 'sms:message:status').name).toBe('sms:message:status');
  expect(read('{"event":null}', 'rcs:message:in').name).toBe('rcs:message:in');
  expect(read(unnamed).name).toBe('');
});

test('the fields of the body are kept, and the payload keeps its exact text', () => {
  const exact = '{"account_id":"a","event_id":"e","payload":{"id":"1","units":2}}';
  expect(read(exact)).toEqual({ name: '', data: JSON.parse(exact) });
  const payload = '{"id":"1", "cost":2.0000,"n":12345678901234567890}';
  expect(read(`{"identity":"number:1","payload":${payload}}`).data).toEqual({ identity: 'number:1', payload });
});

test('a body that cannot be read has a reason and keeps its text, or the start of a text that is too large', () => {
  expect(read('{"payload":', 'sms:message:status')).toEqual({
    name: 'sms:message:status',
    data: '{"payload":',
    unreadableReason: 'the message is not JSON',
  });
  expect(read('')).toMatchObject({ data: '', unreadableReason: 'the message is empty' });
  expect(read(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
    data: '"\uFFFD"',
    unreadableReason: 'the message is not UTF-8',
  });
  expect(read(Buffer.alloc(16 * 1024 * 1024 + 1, 0x20))).toEqual({
    name: '',
    data: ' '.repeat(1_000),
    unreadableReason: 'the message has 16777217 bytes, and the maximum is 16777216',
  });
});

test('an event that is not a name makes a body unreadable, with its text kept, and is empty if a header has it', () => {
  const long = 'x'.repeat(256);
  const unreadableReason = 'the message has an event that is not a name';
  for (const event of [{ card: '4111' }, ['a'], 7, true, long]) {
    const body = JSON.stringify({ event, payload: {} });
    expect(read(body, 'sms:message:status')).toEqual({ name: '', data: body, unreadableReason });
  }
  expect(read('{"payload":{}}', long, 'sms:message:status')).toEqual({ name: '', data: { payload: {} } });
  expect(read('{"payload":{}}', '', 'sms:message:status').name).toBe('sms:message:status');
});

test.each(['[1]', 'null', '1', '"text"'])('%s is data, which is checked later', (body) => {
  expect(read(body, 'sms:message:status')).toEqual({ name: 'sms:message:status', data: JSON.parse(body) });
});

test('concurrent work has at most the maximum of bytes, and work on more bytes than that runs alone', async () => {
  const running = new Set<number>();
  const semaphore = new ByteSemaphore(10);
  const totals: number[] = [];
  const work = async (bytes: number) => {
    running.add(bytes);
    totals.push([...running].reduce((sum, size) => sum + size));
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(bytes);
    if (bytes === 7) throw new Error('failed');
    return bytes;
  };
  const results = await Promise.allSettled(
    [3, 7, 1, 25, 2, 4, 5].map((bytes) => semaphore.run(bytes, () => work(bytes))),
  );
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : null))).toEqual([
    ...[3, null, 1, 25, 2, 4, 5],
  ]);
  expect(totals.filter((sum) => sum > 10)).toEqual([25]);
  expect(Math.max(...totals.filter((sum) => sum !== 25))).toBe(10);
});
