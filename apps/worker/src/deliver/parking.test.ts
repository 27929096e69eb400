import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  acceptEvents,
  claimParked,
  createAccount,
  createWebhook,
  type Database,
  listParkedWebhooks,
  loadDeliveries,
  openDatabase,
  parkDeliveries,
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

/** A webhook with so many deliveries, the oldest first. */
async function makeDeliveries(count: number): Promise<{ webhookId: string; ids: string[] }> {
  const fields = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
  const { webhook } = await createWebhook(db, accountId, { ...fields, payload: null, signing: true });
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const id = `${webhook.id}-${index}`;
    const event = {
      event: 'sms:message:status' as const,
      accountId,
      webhookId: webhook.id,
      identity: null,
      eventId: id,
    };
    const [accepted] = await acceptEvents(db, [{ ...event, payload: `{"id":"${id}"}`, messageId: id, mobile: null }]);
    ids.push(accepted!.deliveries[0]!.id);
  }
  return { webhookId: webhook.id, ids };
}

const claim = (webhookId: string, limit: number, leaseMs = 60_000) =>
  claimParked(db, webhookId, { channels: ['sms'], limit, leaseMs }).then((claimed) =>
    claimed.map(({ id }) => id).sort(),
  );
/** A delivery that was parked a moment ago is left alone for a quarter of a second. */
const settle = () => sleep(300);

test('what was parked is fetched, the longest due first, by one only, and stays parked under a lease', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  await parkDeliveries(db, ids);
  expect(await listParkedWebhooks(db, { limit: 10 })).toContainEqual({ webhookId, accountId });
  expect(await claim(webhookId, 3)).toEqual([]);
  await settle();
  expect(await claim(webhookId, 2)).toEqual(ids.slice(0, 2));
  const both = await Promise.all([claim(webhookId, 3), claim(webhookId, 3)]);
  expect(both.flat()).toEqual(ids.slice(2));
  expect((await loadDeliveries(db, ids)).map(({ parked, state }) => [parked, state])).toEqual(
    ids.map(() => [true, 'pending']),
  );
});

test('what was fetched by one who died is fetched by another when the lease has ended', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  expect(await claim(webhookId, 1, 100)).toEqual(ids);
  expect(await claim(webhookId, 1)).toEqual([]);
  await sleep(100);
  await settle();
  expect(await claim(webhookId, 1)).toEqual(ids);
});

test('what is parked again under a lease can be fetched again soon', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  expect(await claim(webhookId, 1)).toEqual(ids);
  await parkDeliveries(db, ids);
  await settle();
  expect(await claim(webhookId, 1)).toEqual(ids);
});

test('deliveries of the other channel are left to those who make them', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  expect(await claimParked(db, webhookId, { channels: ['rcs'], limit: 9, leaseMs: 1_000 })).toEqual([]);
});
