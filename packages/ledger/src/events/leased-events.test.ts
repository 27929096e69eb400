import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  storeEvents,
  claimDue,
  createAccount,
  createWebhook,
  ingestBatch,
  type LeaseRequest,
  loadTasks,
  rescueExpiredLeases,
  subscribe,
} from '../index.js';
import { until } from '@ringback/testing';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const lease = (changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  channels: ['sms'],
  leaseMs: 60_000,
  maxLeased: 1_000,
  maxLeasedPerAccount: 1_000,
  excludedWebhookIds: [],
  ...changes,
});
const dueFor = (webhookId: string) =>
  expect.objectContaining({ webhookId, channel: 'sms', accountId: ledger.accountId });
const claim = async (webhookIds: string[]) => {
  const requests = webhookIds.map((webhookId) => ({ webhookId, channel: 'sms' as const, limit: 50 }));
  return (await claimDue(ledger.db, requests, { leaseMs: 60_000 })).tasks;
};

test('a process that stores an event leases its delivery, with all data of the attempt', async () => {
  const webhookId = await ledger.makeWebhook({
    uri: 'https://example.com/in?a={{id}}',
    secret: 'the secret',
    bodyTemplate: { a: '{{id}}' },
    signing: false,
  });
  const stored = await ledger.store('a', webhookId, lease());
  expect(stored.state).toBe('routed');
  expect(await ledger.dueOf(stored)).toEqual([]);
  const [task] = stored.leased;
  expect(await ledger.deliveriesOf(stored)).toEqual([task!.id]);
  const [loaded] = await loadTasks(ledger.db, [task!.id]);
  expect(task).toMatchObject({
    encrypted: { secret: 'the secret' },
    payload: '{"id":"a", "units":1}',
    signing: false,
    expiredLeaseCount: 0,
  });
  // The statement returns the same data that loading the delivery would.
  expect({ ...task }).toMatchObject({ ...loaded });
  expect(await claim([webhookId])).toEqual([]);
});

test('all deliveries of an event for many webhooks are leased', async () => {
  const webhookIds = [await ledger.makeWebhook(), await ledger.makeWebhook(), await ledger.makeWebhook()];
  for (const webhookId of webhookIds)
    await subscribe(ledger.db, ledger.accountId, { event: 'sms:message:status', identity: 'all', webhookId });
  const reports: [string, string | null][] = [
    ['b', null],
    ['c', webhookIds[0]!],
  ];
  const [stored, other] = await ledger.storeAll(reports, lease());
  expect(stored!.leased.map(({ webhookId }) => webhookId).sort()).toEqual([...webhookIds].sort());
  expect(new Set(stored!.leased.map(({ eventId }) => eventId))).toEqual(new Set([stored!.eventId]));
  expect(other!.leased).toHaveLength(1);
});

test('deliveries of excluded, paused and rate-limited webhooks, and of other channels, are not leased', async () => {
  const [excluded, paused] = [await ledger.makeWebhook(), await ledger.makeWebhook()];
  const limited = await ledger.makeWebhook({ rateLimit: 10 });
  await ledger.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'gone' WHERE id = $1`, [paused]);
  const reports = [excluded, paused, limited].map((id, index): [string, string] => [`not leased ${index}`, id]);
  const stored = await ledger.storeAll(reports, lease({ excludedWebhookIds: [excluded] }));
  expect(stored.map(({ leased }) => leased)).toEqual([[], [], []]);
  expect(await Promise.all(stored.map(ledger.dueOf))).toEqual([excluded, paused, limited].map((id) => [dueFor(id)]));
  const other = await ledger.store('of another channel', excluded, lease({ channels: ['rcs'] }));
  expect([other.leased, await ledger.dueOf(other)]).toEqual([[], [dueFor(excluded)]]);
  expect(await claim([excluded])).toHaveLength(2);
});

test('deliveries that may not be leased do not use up the limit of their account', async () => {
  const [excluded, webhookId] = [await ledger.makeWebhook(), await ledger.makeWebhook()];
  const reports = [excluded, excluded, webhookId].map((id, index): [string, string] => [`ranked ${index}`, id]);
  const request = lease({ excludedWebhookIds: [excluded], maxLeasedPerAccount: 1 });
  const stored = await ledger.storeAll(reports, request);
  expect(stored.map(({ leased }) => leased.length)).toEqual([0, 0, 1]);
});

test('when duplicates cannot be counted, the new events of their batch are leased and started all the same', async () => {
  const webhookId = await ledger.makeWebhook();
  const [old, fresh] = ['repeated', 'fresh'].map((id) => ({
    name: 'sms:message:status' as const,
    ...{ accountId: ledger.accountId, webhookId, identity: null, platformEventId: id, mobile: null, messageId: id },
    payload: '{"id":"m"}',
  }));
  await storeEvents(ledger.db, [old!]);
  await ledger.db.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE OF duplicate_count ON events FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const [started, warnings]: [string[], string[]] = [[], []];
  const deps = {
    db: ledger.db,
    log: { warn: (event: string) => void warnings.push(event) },
  };
  const start = (leased: { id: string }[]) => void started.push(...leased.map(({ id }) => id));
  const stored = await ingestBatch(deps, [old!, fresh!], { request: lease(), start });
  await ledger.db.pool.query('DROP TRIGGER refuse ON events');
  expect(stored.map(({ state }) => state)).toEqual(['duplicate', 'routed']);
  expect(started).toEqual(stored[1]!.leased.map(({ id }) => id));
  expect([started.length, warnings]).toEqual([1, ['event.duplicates_uncounted']]);
});

test('when the reply to storing an event is lost, the lease of its delivery expires', async () => {
  const webhookId = await ledger.makeWebhook();
  const first = await ledger.store('lost reply', webhookId, lease({ leaseMs: 1 }));
  const again = await ledger.store('lost reply', webhookId, lease());
  expect(again).toMatchObject({ eventId: first.eventId, state: 'duplicate', leased: [] });
  await until(async () => (await rescueExpiredLeases(ledger.db, { before: 'infinity' })).rescued.length > 0);
  expect((await claim([webhookId])).map(({ id }) => id)).toEqual(first.leased.map(({ id }) => id));
});

test('an event that is stored again while its delivery is leased makes no second delivery', async () => {
  const webhookId = await ledger.makeWebhook();
  const first = await ledger.store('f', webhookId, lease());
  const again = await ledger.store('f', webhookId, lease());
  expect(again).toMatchObject({ eventId: first.eventId, state: 'duplicate', leased: [] });
  expect(await ledger.deliveriesOf(first)).toEqual(first.leased.map(({ id }) => id));
});

test('the idempotency key of an event that was deleted by hand is free, that of a stored event is not', async () => {
  const { db, storeAll } = ledger;
  const webhookId = await ledger.makeWebhook();
  const reports: [string, string][] = ['lost', 'kept'].map((id) => [id, webhookId]);
  const [lost] = await storeAll(reports);
  await db.pool.query('DELETE FROM deliveries WHERE event_id = $1', [lost!.eventId]);
  await db.pool.query('DELETE FROM events WHERE id = $1', [lost!.eventId]);
  const stored = await storeAll([...reports, ['new', webhookId]], lease());
  expect(stored.map(({ state }) => state)).toEqual(['routed', 'duplicate', 'routed']);
  expect(stored.map(({ leased }) => leased.length)).toEqual([1, 0, 1]);
  const again = await storeAll(reports);
  expect(again.map(({ eventId, state }) => [eventId, state])).toEqual(
    stored.slice(0, 2).map(({ eventId }) => [eventId, 'duplicate']),
  );
});

test('a rejected event has no delivery', async () => {
  const stored = await ledger.store('g', '00000000-0000-4000-8000-000000000000', lease());
  expect(stored).toMatchObject({
    state: 'rejected',
    reason: 'webhook_id names no webhook',
    leased: [],
  });
  expect(await ledger.deliveriesOf(stored)).toEqual([]);
});

test('when more deliveries wait than may be leased, each account has its turn', async () => {
  const { db, makeWebhook, accountId } = ledger;
  const { id: other } = await createAccount(db, { name: 'other' });
  const hook = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
  const { webhook } = await createWebhook(db, other, { ...hook, bodyTemplate: null, signing: true });
  const event = { name: 'sms:message:status' as const, accountId: null, identity: null, messageId: 'm', mobile: null };
  const own = await makeWebhook();
  const events = [own, own, own, own, webhook.id].map((webhookId, index) => ({
    ...event,
    webhookId,
    platformEventId: `turn-${index}`,
    payload: '{"id":"m"}',
  }));
  const stored = await storeEvents(db, events, lease({ maxLeased: 2 }));
  const leased = stored.flatMap(({ leased: tasks }) => tasks.map((task) => task.accountId));
  expect(leased.sort()).toEqual([accountId, other].sort());
  expect((await Promise.all(stored.map(ledger.dueOf))).flat()).toHaveLength(3);
  const again = events.map((event) => ({ ...event, platformEventId: `again ${event.platformEventId}` }));
  const few = await storeEvents(db, again, lease({ maxLeasedPerAccount: 1 }));
  expect(few.flatMap(({ leased: tasks }) => tasks.map((task) => task.accountId)).sort()).toEqual(
    [accountId, other].sort(),
  );
});

test('a worker leases 1,000 deliveries of an event for 1,100 webhooks, and the others are due at once', async () => {
  const { db, accountId } = ledger;
  const many = `INSERT INTO webhooks (account_id, name, uri) SELECT $1, 'hook', 'http://127.0.0.1:1/'
      FROM generate_series(1, 1100) RETURNING id`;
  const webhooks = await db.pool.query<{ id: string }>(many, [accountId]);
  const subscriptions = `INSERT INTO subscriptions (account_id, event, webhook_id)
      SELECT $1, 'sms:message:status', id FROM unnest($2::uuid[]) AS t(id)`;
  await db.pool.query(subscriptions, [accountId, webhooks.rows.map(({ id }) => id)]);
  const stored = await ledger.store('h', null, lease());
  const { leased } = stored;
  const others = await ledger.dueOf(stored);
  expect(leased).toHaveLength(1_000);
  expect(others.length).toBeGreaterThanOrEqual(100);
  const claimed = await claim(others.map(({ webhookId }) => webhookId));
  expect(new Set([...leased, ...claimed].map(({ id }) => id)).size).toBe(1_000 + others.length);
});
