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
import { MessageIngester } from './ingest.js';

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
      log: { error: write, warn: write, info: write, debug: write },
      stopping: new AbortController().signal,
      events: { byState: { inc: ({ state }) => void states.push(state) }, conflicting: { inc: () => {} } },
    },
    {},
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
  const stored = await ingestEvents({ db }, events);
  expect(stored.map(({ state }) => state)).toEqual(['duplicate', 'unrouted', 'unrouted']);
});
