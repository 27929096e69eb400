import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  acceptEvents,
  type Claim,
  claimParked,
  createAccount,
  createWebhook,
  loadDeliveries,
  subscribe,
} from '@ringback/database';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const claim = (changes: Partial<Claim> = {}): Claim => ({
  channels: ['sms'],
  leaseMs: 60_000,
  most: 1_000,
  mostOfAccount: 1_000,
  full: [],
  heavy: [],
  ...changes,
});

test('whoever takes an event in has its delivery, with all that the attempt needs, and nobody else does', async () => {
  const webhookId = await ledger.makeWebhook({
    ...{ uri: 'https://example.com/in?a={{id}}', secret: 'the secret', payload: { a: '{{id}}' }, signing: false },
  });
  const taken = await ledger.accept('a', webhookId, claim());
  expect(taken).toMatchObject({ state: 'routed', duplicate: false, deliveries: [], parked: [] });
  const [task] = taken.claimed;
  const [loaded] = await loadDeliveries(ledger.db, [task!.id]);
  expect(task).toMatchObject({ bearer: 'the secret', payload: '{"id":"a", "units":1}', signing: false, parked: true });
  // What came with the answer is what would be loaded.
  expect({ ...task }).toMatchObject(Object.fromEntries(Object.entries({ ...loaded! })));
});

test('an event for many webhooks is as many deliveries in hand', async () => {
  const webhookIds = [await ledger.makeWebhook(), await ledger.makeWebhook(), await ledger.makeWebhook()];
  for (const webhookId of webhookIds)
    await subscribe(ledger.db, ledger.accountId, { event: 'sms:message:status', identity: 'all', webhookId });
  const reports: [string, string | null][] = [
    ['b', null],
    ['c', webhookIds[0]!],
  ];
  const [taken, other] = await ledger.acceptAll(reports, claim());
  expect(taken!.claimed.map(({ webhookId }) => webhookId).sort()).toEqual([...webhookIds].sort());
  expect(new Set(taken!.claimed.map(({ eventId }) => eventId))).toEqual(new Set([taken!.eventId]));
  expect(other!.claimed).toHaveLength(1);
});

test('what is for a full webhook is parked, what is for a channel of others gets a job', async () => {
  const full = await ledger.makeWebhook();
  const taken = await ledger.accept('d', full, claim({ full: [full] }));
  expect(taken).toMatchObject({
    claimed: [],
    deliveries: [],
    parked: [{ webhookId: full, accountId: ledger.accountId }],
  });
  const other = await ledger.accept('e', full, claim({ channels: ['rcs'] }));
  expect(other).toMatchObject({ claimed: [], parked: [], deliveries: [{ channel: 'sms', dueInMs: 0, attempts: 0 }] });
});

test('an event that comes again while its delivery is in hand makes no second one, and no job', async () => {
  const webhookId = await ledger.makeWebhook();
  const first = await ledger.accept('f', webhookId, claim());
  const again = await ledger.accept('f', webhookId, claim());
  expect(again).toMatchObject({ eventId: first.eventId, duplicate: true, claimed: [], parked: [], deliveries: [] });
});

test('an event that was deleted by hand is not known any more, and those beside it are', async () => {
  const { db, acceptAll } = ledger;
  const webhookId = await ledger.makeWebhook();
  const reports: [string, string][] = ['lost', 'kept'].map((id) => [id, webhookId]);
  const [lost] = await acceptAll(reports);
  await db.pool.query('DELETE FROM deliveries WHERE event_id = $1', [lost!.eventId]);
  await db.pool.query('DELETE FROM events WHERE id = $1', [lost!.eventId]);
  const found = await acceptAll([...reports, ['new', webhookId]], claim());
  expect(found.map(({ duplicate }) => duplicate)).toEqual([false, true, false]);
  expect(found.map(({ claimed }) => claimed.length)).toEqual([1, 0, 1]);
  const again = await acceptAll(reports);
  expect(again.map(({ eventId, duplicate }) => [eventId, duplicate])).toEqual(
    found.slice(0, 2).map(({ eventId }) => [eventId, true]),
  );
});

test('a rejected event is nobody’s', async () => {
  const taken = await ledger.accept('g', '00000000-0000-4000-8000-000000000000', claim());
  expect(taken).toMatchObject({
    state: 'rejected',
    reason: 'webhook_id names no webhook',
    claimed: [],
    deliveries: [],
  });
});

test('of more than may be in hand each account has its turn', async () => {
  const { db, makeWebhook, accountId } = ledger;
  const { id: other } = await createAccount(db, { name: 'other' });
  const hook = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
  const { webhook } = await createWebhook(db, other, { ...hook, payload: null, signing: true });
  const event = { event: 'sms:message:status' as const, accountId: null, identity: null, messageId: 'm', mobile: null };
  const own = await makeWebhook();
  const events = [own, own, own, own, webhook.id].map((webhookId, index) => ({
    ...{ ...event, webhookId, eventId: `turn-${index}`, payload: '{"id":"m"}' },
  }));
  const taken = await acceptEvents(db, events, claim({ most: 2 }));
  const inHand = taken.flatMap(({ claimed }) => claimed.map((task) => task.accountId));
  expect(inHand.sort()).toEqual([accountId, other].sort());
  expect(taken.flatMap(({ parked }) => parked)).toHaveLength(3);
  const again = events.map((one) => ({ ...one, eventId: `again ${one.eventId}` }));
  const few = await acceptEvents(db, again, claim({ mostOfAccount: 1 }));
  expect(few.flatMap(({ claimed }) => claimed.map((task) => task.accountId)).sort()).toEqual([accountId, other].sort());
});

test('of an event for very many webhooks a worker has so many in hand, and the others are parked', async () => {
  const { db, accountId } = ledger;
  const many = `INSERT INTO webhooks (account_id, name, uri) SELECT $1, 'hook', 'http://127.0.0.1:1/'
      FROM generate_series(1, 1100) RETURNING id`;
  const webhooks = await db.pool.query<{ id: string }>(many, [accountId]);
  const subscriptions = `INSERT INTO subscriptions (account_id, event, webhook_id)
      SELECT $1, 'sms:message:status', id FROM unnest($2::uuid[]) AS t(id)`;
  await db.pool.query(subscriptions, [accountId, webhooks.rows.map(({ id }) => id)]);
  const { claimed, parked, made, deliveries } = await ledger.accept('h', null, claim());
  expect([claimed.length, deliveries.length]).toEqual([1_000, 0]);
  expect(made).toBeGreaterThanOrEqual(1_100);
  const rooms = parked.map(({ webhookId }) => ({ webhookId, room: 5 }));
  const fetched = await claimParked(db, rooms, { channels: ['sms'], leaseMs: 60_000 });
  const ids = [...claimed, ...fetched.claimed].map(({ id }) => id);
  expect([new Set(ids).size, fetched.orphaned]).toEqual([made, []]);
});
