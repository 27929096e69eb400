import { describe, expect, test } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryTask } from '@ringback/ledger';
import { until } from '@ringback/testing';
import type { LeaseResult, LeaseTimes } from '../attempt/attempt.js';
import type { LeaseOrigin } from './lease-capacity.js';
import { createLeasedDeliveries, type LeasedDeliveriesDeps } from './leased-deliveries.js';

const task = {
  ...{ id: 'one', webhookId: 'w', accountId: 'a', channel: 'sms', state: 'pending' },
  ...{ payload: '{}', leasedAt: 'mine', expiredLeaseCount: 0 },
} as DeliveryTask;
const completed: LeaseResult = { type: 'done' };
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

type Options = Partial<Pick<LeasedDeliveriesDeps, 'maxLeased' | 'renew'>>;

/** Leased deliveries, and a list of what happens to them. */
function setUp(attempt: LeasedDeliveriesDeps['attempt'], { maxLeased = 10, renew = async () => {} }: Options = {}) {
  const events: unknown[] = [];
  const leased = createLeasedDeliveries({
    ...{ log, leaseMs: 5_000, reservedMs: 3_000, maxLeased, attempt },
    renew,
    releaseLease: async ({ id }, waitMs) => void events.push(['released', id, waitMs]),
    failDelivery: async ({ id, leasedAt }, reason) => void events.push(['failed', id, leasedAt, reason]),
  });
  leased.setLeaseEndListener(({ id }, result) => events.push(['ended', id, result]));
  return { leased, events };
}
const start = (
  { leased }: ReturnType<typeof setUp>,
  changes: Partial<DeliveryTask>[],
  {
    requestedAtMonotonicMs = performance.now(),
    origin = 'claim',
  }: { requestedAtMonotonicMs?: number; origin?: LeaseOrigin } = {},
) =>
  leased.start(
    changes.map((change) => ({ ...task, ...change })),
    requestedAtMonotonicMs,
    origin,
  );

describe('a leased delivery', () => {
  test('has a lease that starts when it is requested, not when the reply arrives', async () => {
    const times: LeaseTimes[] = [];
    const testbed = setUp(async (_task, given) => (times.push(given), completed));
    const requestedAtMonotonicMs = performance.now() - 60_000;
    start(testbed, [{}], { requestedAtMonotonicMs });
    await testbed.leased.waitUntilDrained();
    expect(times.map(({ sendByMonotonicMs }) => sendByMonotonicMs)).toEqual([requestedAtMonotonicMs + 2_000]);
  });

  test('is released, and due again after 15 s, when its attempt throws', async () => {
    const testbed = setUp(() => Promise.reject(new Error('unexpected')));
    start(testbed, [{}]);
    await testbed.leased.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['released', 'one', 15_000],
      ['ended', 'one', { type: 'dueIn', waitMs: 15_000 }],
    ]);
  });

  test('that is claimed again before its attempt ended is loaded again and attempted under the new lease', async () => {
    const testbed = setUp(async ({ leasedAt }, { loadedAtMonotonicMs }) => {
      testbed.events.push(['started', leasedAt, loadedAtMonotonicMs]);
      await setImmediate();
      return leasedAt === 'first' ? { type: 'dueNow' } : completed;
    });
    start(testbed, [{ leasedAt: 'first' }]);
    start(testbed, [{ leasedAt: 'second' }]);
    await testbed.leased.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['started', 'first', expect.any(Number)],
      ['ended', 'one', { type: 'dueNow' }],
      ['started', 'second', -Infinity],
      ['ended', 'one', completed],
    ]);
  });

  test('that is claimed again keeps the newest lease, even if an older reply arrives later', async () => {
    const testbed = setUp(async ({ leasedAt }) => {
      testbed.events.push(['started', leasedAt]);
      await setImmediate();
      return completed;
    });
    const requestedAtMonotonicMs = performance.now();
    start(testbed, [{ leasedAt: 'second' }], { requestedAtMonotonicMs });
    start(testbed, [{ leasedAt: 'third' }], { requestedAtMonotonicMs: requestedAtMonotonicMs + 1 });
    start(testbed, [{ leasedAt: 'first' }], { requestedAtMonotonicMs: requestedAtMonotonicMs - 11_000 });
    await testbed.leased.waitUntilDrained();
    expect(testbed.events.filter((event) => Array.isArray(event) && event[0] === 'started')).toEqual([
      ['started', 'second'],
      ['started', 'third'],
    ]);
  });

  test('that is claimed again before its attempt ended keeps the new lease', async () => {
    const renewed: unknown[] = [];
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const testbed = setUp(() => opened.then(() => completed), { renew: async (tasks) => void renewed.push(...tasks) });
    start(testbed, [{ leasedAt: 'first' }]);
    start(testbed, [{ leasedAt: 'second' }]);
    await until(() => renewed.length > 0);
    gate.open?.();
    await testbed.leased.waitUntilDrained();
    expect(renewed).toEqual([expect.objectContaining({ id: 'one', leasedAt: 'second' })]);
  });
});

describe('a delivery whose workers died', () => {
  test('two or three times waits for other such deliveries; after one death it starts at once', async () => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const testbed = setUp(async ({ id }) => {
      testbed.events.push(['started', id]);
      if (id === 'a') gate.open?.();
      await opened;
      return completed;
    });
    start(testbed, [
      { id: 'a', expiredLeaseCount: 2 },
      { id: 'b', expiredLeaseCount: 3 },
      { id: 'c', expiredLeaseCount: 1 },
      { id: 'd', expiredLeaseCount: 2 },
    ]);
    await testbed.leased.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['released', 'b', expect.closeTo(50, -2)],
      ['started', 'c'],
      ['released', 'd', expect.closeTo(100, -2)],
      ['ended', 'b', { type: 'dueIn', waitMs: expect.closeTo(50, -2) }],
      ['ended', 'd', { type: 'dueIn', waitMs: expect.closeTo(100, -2) }],
      ['started', 'a'],
      ['ended', 'c', completed],
      ['ended', 'a', completed],
    ]);
    start(testbed, [{ id: 'b', expiredLeaseCount: 3 }]);
    await testbed.leased.waitUntilDrained();
    expect(testbed.events.slice(-2)).toEqual([
      ['started', 'b'],
      ['ended', 'b', completed],
    ]);
  });

  test('twice starts after the others of its claim were released, because it may crash the worker', async () => {
    const events: string[] = [];
    const leased = createLeasedDeliveries({
      ...{ log, leaseMs: 5_000, reservedMs: 3_000, maxLeased: 10 },
      attempt: async ({ id }) => (events.push(`started ${id}`), completed),
      renew: async () => {},
      releaseLease: ({ id }) => sleep(20).then(() => void events.push(`released ${id}`)),
      failDelivery: async () => {},
    });
    const crashed = ['a', 'b', 'c'].map((id) => ({ ...task, id, expiredLeaseCount: 2 }));
    leased.start(crashed, performance.now(), 'claim');
    await leased.waitUntilDrained();
    expect(events).toEqual(['released b', 'released c', 'started a']);
  });

  test('four times fails with the reason, and delays no other delivery', async () => {
    const attempted: string[] = [];
    const testbed = setUp(async ({ id }) => (attempted.push(id), completed));
    start(testbed, [{ id: 'deadly', expiredLeaseCount: 4 }, { id: 'after', expiredLeaseCount: 2 }, { id: 'other' }]);
    await testbed.leased.waitUntilDrained();
    expect(attempted.toSorted()).toEqual(['after', 'other']);
    const reason = 'its lease expired 4 times: workers crashed or were cut off from PostgreSQL';
    expect(testbed.events).toContainEqual(['failed', 'deadly', 'mine', reason]);
  });
});

test.each([1, 2, 25, 50, 400])('about a quarter of %d leases is reserved for new events', async (maxLeased) => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((open) => (gate.open = open));
  const testbed = setUp(
    async () => {
      await opened;
      return completed;
    },
    { maxLeased },
  );
  let leasedCount = 0;
  for (; testbed.leased.availableLeases('claim') > 0; leasedCount++) start(testbed, [{ id: String(leasedCount) }]);
  // The share is rounded up, so it is at least one delivery.
  expect(leasedCount).toBe(Math.ceil((maxLeased * 3) / 4));
  let hasCapacity = false;
  if (leasedCount < maxLeased) await testbed.leased.waitForIngestCapacity();
  start(
    testbed,
    Array.from({ length: maxLeased - leasedCount }, (_, index) => ({ id: `new ${index}` })),
    { origin: 'ingest' },
  );
  const capacity = testbed.leased.waitForIngestCapacity().then(() => (hasCapacity = true));
  await sleep(0);
  expect(hasCapacity).toBe(false);
  gate.open?.();
  await capacity;
  await testbed.leased.waitUntilDrained();
});

describe('waiting for capacity', () => {
  test('ends for all callers when no delivery is leased, because no other lease will end', async () => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const testbed = setUp(() => opened.then(() => completed), { maxLeased: 1 });
    start(testbed, [{}], { origin: 'ingest' });
    const waiting = [1, 2, 3].map(() => testbed.leased.waitForIngestCapacity());
    gate.open?.();
    await testbed.leased.waitUntilDrained();
    const isOver = await Promise.race([Promise.all(waiting).then(() => true), setImmediate(false)]);
    expect(isOver).toBe(true);
  });

  test('ends without capacity when the worker stops', async () => {
    const testbed = setUp(async () => completed, { maxLeased: 1 });
    start(testbed, [{}], { origin: 'ingest' });
    const waiting = testbed.leased.waitForIngestCapacity();
    testbed.leased.close();
    await Promise.all([waiting, testbed.leased.waitForIngestCapacity()]);
    await testbed.leased.waitUntilDrained();
    expect([testbed.leased.availableLeases('ingest'), testbed.leased.availableLeases('claim')]).toEqual([0, 0]);
  });
});
