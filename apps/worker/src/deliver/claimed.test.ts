import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  acceptEvents,
  type Claim,
  createAccount,
  createWebhook,
  type Database,
  loadDeliveries,
  openDatabase,
  subscribe,
} from '@ringback/database';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';

let database: TestDatabase;
let db: Database;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url });
  accountId = (await createAccount(db, { name: 'test' })).id;
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function makeWebhook(uri = 'http://127.0.0.1:1/') {
  const fields = { name: 'hook', uri, active: true, secret: 'the secret', verificationCode: null };
  const { webhook } = await createWebhook(db, accountId, { ...fields, payload: { a: '{{id}}' }, signing: false });
  return webhook.id;
}

const smsEvent = (webhookId: string | null, id: string) => ({
  ...{ event: 'sms:message:status' as const, accountId, webhookId, identity: null, eventId: id, mobile: null },
  ...{ payload: `{"id":"${id}", "units":1}`, messageId: id },
});
const claim = (changes: Partial<Claim> = {}): Claim => ({ channels: ['sms'], leaseMs: 60_000, full: [], ...changes });

test('whoever takes an event in has its delivery, with all that the attempt needs, and nobody else does', async () => {
  const webhookId = await makeWebhook('https://example.com/in?a={{id}}');
  const [taken] = await acceptEvents(db, [smsEvent(webhookId, 'a')], claim());
  expect(taken).toMatchObject({ state: 'routed', duplicate: false, deliveries: [], parked: [] });
  const [task] = taken!.claimed;
  const [loaded] = await loadDeliveries(db, [task!.id]);
  expect(task).toMatchObject({ bearer: 'the secret', payload: '{"id":"a", "units":1}', signing: false, parked: true });
  // What came with the answer is what would be loaded.
  expect({ ...task }).toMatchObject(Object.fromEntries(Object.entries({ ...loaded! })));
});

test('an event for many webhooks is as many deliveries in hand', async () => {
  const webhookIds = [await makeWebhook(), await makeWebhook(), await makeWebhook()];
  for (const webhookId of webhookIds)
    await subscribe(db, accountId, { event: 'sms:message:status', identity: 'all', webhookId });
  const [taken, other] = await acceptEvents(db, [smsEvent(null, 'b'), smsEvent(webhookIds[0]!, 'c')], claim());
  expect(taken!.claimed.map(({ webhookId }) => webhookId).sort()).toEqual([...webhookIds].sort());
  expect(new Set(taken!.claimed.map(({ eventId }) => eventId))).toEqual(new Set([taken!.eventId]));
  expect(other!.claimed).toHaveLength(1);
});

test('what is for a full webhook is parked, what is for a channel of others gets a job', async () => {
  const full = await makeWebhook();
  const [taken] = await acceptEvents(db, [smsEvent(full, 'd')], claim({ full: [full] }));
  expect(taken).toMatchObject({ claimed: [], deliveries: [], parked: [{ webhookId: full, accountId }] });
  const [other] = await acceptEvents(db, [smsEvent(full, 'e')], claim({ channels: ['rcs'] }));
  expect(other).toMatchObject({ claimed: [], parked: [], deliveries: [{ channel: 'sms', dueInMs: 0, attempts: 0 }] });
});

test('an event that comes again while its delivery is in hand makes no second one, and no job', async () => {
  const webhookId = await makeWebhook();
  const [first] = await acceptEvents(db, [smsEvent(webhookId, 'f')], claim());
  const [again] = await acceptEvents(db, [smsEvent(webhookId, 'f')], claim());
  expect(again).toMatchObject({ eventId: first!.eventId, duplicate: true, claimed: [], parked: [], deliveries: [] });
});

test('a rejected event is nobody’s', async () => {
  const [taken] = await acceptEvents(db, [smsEvent('00000000-0000-4000-8000-000000000000', 'g')], claim());
  expect(taken).toMatchObject({
    state: 'rejected',
    reason: 'webhook_id names no webhook',
    claimed: [],
    deliveries: [],
  });
});
