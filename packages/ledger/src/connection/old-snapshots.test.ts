import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';
import { SnapshotWatch } from './old-snapshots.js';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger();
});
afterAll(() => ledger.close());

test('a transaction is seen from its first snapshot until its end, and not before', async () => {
  const { db } = ledger;
  const watch = new SnapshotWatch();
  const client = await db.pool.connect();
  const backend = async () => (await watch.measure(db)).backend;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await until(async () => (await backend()) === 0, 'a transaction without a snapshot does not count');
    await client.query('SELECT count(*) FROM accounts');
    await until(async () => (await backend()) > 0.5, 'its age grows');
    await client.query('COMMIT');
    await until(async () => (await backend()) === 0, 'it has ended');
    await client.query('BEGIN');
    await client.query('CREATE TABLE changed ()');
    await until(async () => (await backend()) > 0, 'a transaction that changes something counts too');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(await watch.measure(db)).toMatchObject({ slot: 0, prepared: 0 });
});

test('a slot counts from when its snapshot was first seen, and anew after each move', () => {
  const watch = new SnapshotWatch();
  const seen = (atMs: number, ...xmins: string[]) =>
    watch.ageOfSlots(
      xmins.map((xmin, index) => ({ name: `slot ${index}`, xmin })),
      atMs,
    );
  expect([seen(1_000, '7'), seen(4_000, '7'), seen(5_000, '8'), seen(6_000, '8', '5')]).toEqual([0, 3, 0, 1]);
  expect([seen(9_000, '9', '5'), seen(10_000), seen(20_000, '9', '5')]).toEqual([3, 0, 0]);
});
