import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimParked,
  type Database,
  giveBackHeld,
  holdDeliveries,
  listParkedWebhooks,
  loadDeliveries,
  parkDeliveries,
} from '@ringback/database';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
let db: Database;
beforeAll(async () => {
  ledger = await openTestLedger();
  ({ db } = ledger);
});
afterAll(() => ledger.close());

/** A webhook with so many deliveries, the oldest first. */
async function makeDeliveries(count: number): Promise<{ webhookId: string; ids: string[] }> {
  const webhookId = await ledger.makeWebhook();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { deliveries } = await ledger.accept(`${webhookId}-${index}`, webhookId);
    ids.push(deliveries[0]!.id);
  }
  return { webhookId, ids };
}

async function claim(webhookId: string, room: number, leaseMs = 60_000) {
  const { claimed, orphaned } = await claimParked(db, [{ webhookId, room }], { channels: ['sms'], leaseMs });
  return { claimed: claimed.map(({ id }) => id).sort(), orphaned: orphaned.map(({ id }) => id).sort() };
}
/** A delivery that was parked a moment ago is left alone for a quarter of a second. */
const settle = () => sleep(300);

test('what was parked is fetched, the longest due first, by one only, and stays parked under a lease', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  await parkDeliveries(db, ids);
  expect(await claim(webhookId, 3)).toEqual({ claimed: [], orphaned: [] });
  await settle();
  expect(await listParkedWebhooks(db, { limit: 10 })).toContainEqual({ webhookId, accountId: ledger.accountId });
  expect(await claim(webhookId, 2)).toEqual({ claimed: ids.slice(0, 2), orphaned: [] });
  const both = await Promise.all([claim(webhookId, 3), claim(webhookId, 3)]);
  expect(both.flatMap(({ claimed }) => claimed)).toEqual(ids.slice(2));
  expect((await loadDeliveries(db, ids)).map(({ parked, state }) => [parked, state])).toEqual(
    ids.map(() => [true, 'pending']),
  );
  expect(await listParkedWebhooks(db, { limit: 10 })).not.toContainEqual({ webhookId, accountId: ledger.accountId });
});

test('however many webhooks have something parked, all of them are listed, some at a time', async () => {
  const made = [await makeDeliveries(2), await makeDeliveries(1), await makeDeliveries(1)];
  await parkDeliveries(
    db,
    made.flatMap(({ ids }) => ids),
  );
  await settle();
  const all = (await listParkedWebhooks(db, { limit: 100 })).map(({ webhookId }) => webhookId);
  expect(all).toEqual(expect.arrayContaining(made.map(({ webhookId }) => webhookId)));
  const listed: string[] = [];
  for (let after: string | undefined; listed.length < all.length; after = listed.at(-1)) {
    const some = await listParkedWebhooks(db, { limit: 2, ...(after === undefined ? {} : { after }) });
    expect(some.length).toBeGreaterThan(0);
    listed.push(...some.map(({ webhookId }) => webhookId));
  }
  expect(listed).toEqual(all);
  for (const { webhookId } of made) await claim(webhookId, 2);
});

test('of several webhooks each is asked for as many as it has room for', async () => {
  const one = await makeDeliveries(3);
  const other = await makeDeliveries(3);
  await parkDeliveries(db, [...one.ids, ...other.ids]);
  await settle();
  const wanted = [
    { webhookId: one.webhookId, room: 1 },
    { webhookId: other.webhookId, room: 2 },
  ];
  const { claimed } = await claimParked(db, wanted, { channels: ['sms'], leaseMs: 60_000 });
  expect(claimed.map(({ id }) => id).sort()).toEqual([...one.ids.slice(0, 1), ...other.ids.slice(0, 2)].sort());
  expect(claimed[0]).toMatchObject({ uri: 'http://127.0.0.1:1/', state: 'pending', attempts: 0, dueInMs: 0 });
});

test('what was fetched by one who died is parked no longer when the lease has ended, and needs a job', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  expect(await claim(webhookId, 1, 100)).toEqual({ claimed: ids, orphaned: [] });
  expect(await claim(webhookId, 1)).toEqual({ claimed: [], orphaned: [] });
  await sleep(100);
  await settle();
  const settings = { channels: ['sms' as const], leaseMs: 60_000, orphans: false };
  expect(await claimParked(db, [{ webhookId, room: 1 }], settings)).toEqual({ claimed: [], orphaned: [] });
  expect(await claim(webhookId, 1)).toEqual({ claimed: [], orphaned: ids });
  expect(await loadDeliveries(db, ids)).toMatchObject([{ parked: false, state: 'pending' }]);
});

test('what is parked again under a lease can be fetched again soon', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  expect((await claim(webhookId, 1)).claimed).toEqual(ids);
  await parkDeliveries(db, ids);
  await settle();
  expect((await claim(webhookId, 1)).claimed).toEqual(ids);
});

test('deliveries of the other channel are left to those who make them', async () => {
  const { webhookId, ids } = await makeDeliveries(1);
  await parkDeliveries(db, ids);
  await settle();
  const none = await claimParked(db, [{ webhookId, room: 9 }], { channels: ['rcs'], leaseMs: 1_000 });
  expect(none).toEqual({ claimed: [], orphaned: [] });
});

test("what is held is nobody's to fetch until its webhook is not paused, and comes back once", async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  const pause = (pausedAt: string) =>
    db.pool.query(`UPDATE webhooks SET paused_at = ${pausedAt}, pause_reason = ${pausedAt} || '' WHERE id = $1`, [
      webhookId,
    ]);
  await pause('now()');
  await holdDeliveries(db, ids);
  await settle();
  expect(await listParkedWebhooks(db, { limit: 100 })).not.toContainEqual({ webhookId, accountId: ledger.accountId });
  expect(await claim(webhookId, 3)).toEqual({ claimed: [], orphaned: [] });
  expect(await giveBackHeld(db)).toBe(0);
  await pause('NULL');
  const given = await Promise.all([giveBackHeld(db), giveBackHeld(db)]);
  expect(given[0]! + given[1]!).toBe(3);
  await settle();
  expect((await claim(webhookId, 3)).claimed).toEqual(ids);
});
