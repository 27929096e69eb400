import { describe, expect, test } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryTask, LeaseResult } from '@ringback/ledger';
import { until } from '@ringback/testing';
import type { LeaseTimes } from './attempt.js';
import { LeaseHolder, type LeaseHolderDeps, type LeaseOrigin } from './leases.js';

const task = {
  ...{ id: 'one', webhookId: 'w', accountId: 'a', channel: 'sms', state: 'pending' },
  ...{ payload: '{}', leasedAt: 'mine', expiredLeaseCount: 0 },
} as DeliveryTask;
const completed: LeaseResult = { type: 'done' };
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

type Attempt = LeaseHolderDeps['attempter']['attempt'];
type Options = { concurrency?: number } & Partial<LeaseHolderDeps['recorder']>;

/** A holder of leases, and a list of what happens to its deliveries. A lease lasts for 8 s. */
function setUp(attempt: Attempt, { concurrency = 5, ...recorder }: Options = {}) {
  const events: unknown[] = [];
  const metrics = { countDeliveryError: () => void events.push(['error']) };
  const leases = new LeaseHolder(
    {
      ...{ log, metrics, attempter: { attempt }, limiter: { listBlockedWebhooks: () => [] } },
      recorder: {
        renew: async () => {},
        release: async ({ id }, waitMs) => void events.push(['released', id, waitMs]),
        end: async ({ id, leasedAt, state, reason }) => (events.push([state, id, leasedAt, reason]), true),
        ...recorder,
      },
      finder: { leaseEnded: ({ id }, result) => void events.push(['ended', id, result]) },
    },
    { channels: ['sms'], callbackTimeoutMs: 1_000, concurrency },
  );
  return { leases, events };
}
const start = (
  { leases }: ReturnType<typeof setUp>,
  changes: Partial<DeliveryTask>[],
  {
    requestedAtMonotonicMs = performance.now(),
    origin = 'claim',
  }: { requestedAtMonotonicMs?: number; origin?: LeaseOrigin } = {},
) =>
  leases.start(
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
    await testbed.leases.waitUntilDrained();
    expect(times.map(({ sendByMonotonicMs }) => sendByMonotonicMs)).toEqual([requestedAtMonotonicMs + 5_000]);
  });

  test('is released, and due again after 15 s, when its attempt throws', async () => {
    const testbed = setUp(() => Promise.reject(new Error('unexpected')));
    start(testbed, [{}]);
    await testbed.leases.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['error'],
      ['released', 'one', 15_000],
      ['ended', 'one', { type: 'dueIn', waitMs: 15_000 }],
    ]);
  });

  test('waits twice as long after each further error, up to an hour, and 15 s again after an attempt', async () => {
    let fails = true;
    const testbed = setUp(() => (fails ? Promise.reject(new Error('unexpected')) : Promise.resolve(completed)));
    const attempt = async () => {
      start(testbed, [{}]);
      await testbed.leases.waitUntilDrained();
    };
    for (let count = 0; count < 10; count++) await attempt();
    fails = false;
    await attempt();
    fails = true;
    await attempt();
    const waits = testbed.events.flatMap((event) =>
      Array.isArray(event) && event[0] === 'released' ? [event[2] / 1_000] : [],
    );
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 15]);
  });

  test('waits for 15 s each time when the proxy fails, which says nothing about it', async () => {
    const failure = Object.assign(new Error('failed'), { name: 'SendError', code: 'PROXY_AUTHENTICATION' });
    const testbed = setUp(() => Promise.reject(failure));
    for (let count = 0; count < 2; count++) {
      start(testbed, [{}]);
      await testbed.leases.waitUntilDrained();
    }
    expect(testbed.events.filter((event) => Array.isArray(event) && event[0] !== 'ended')).toEqual([
      ['released', 'one', 15_000],
      ['released', 'one', 15_000],
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
    await testbed.leases.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['started', 'first', expect.any(Number)],
      ['ended', 'one', { type: 'dueNow' }],
      ['started', 'second', -Infinity],
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
    await testbed.leases.waitUntilDrained();
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
    await testbed.leases.waitUntilDrained();
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
    await testbed.leases.waitUntilDrained();
    expect(testbed.events).toEqual([
      ['released', 'b', expect.closeTo(50, -2)],
      ['started', 'c'],
      ['released', 'd', expect.closeTo(100, -2)],
      ['ended', 'b', { type: 'dueIn', waitMs: expect.closeTo(50, -2) }],
      ['ended', 'd', { type: 'dueIn', waitMs: expect.closeTo(100, -2) }],
      ['started', 'a'],
    ]);
    start(testbed, [{ id: 'b', expiredLeaseCount: 3 }]);
    await testbed.leases.waitUntilDrained();
    expect(testbed.events.at(-1)).toEqual(['started', 'b']);
  });

  test('twice starts after the others of its claim were released, because it may crash the worker', async () => {
    const events: string[] = [];
    const testbed = setUp(async ({ id }) => (events.push(`started ${id}`), completed), {
      release: ({ id }) => sleep(20).then(() => void events.push(`released ${id}`)),
    });
    start(
      testbed,
      ['a', 'b', 'c'].map((id) => ({ id, expiredLeaseCount: 2 })),
    );
    await testbed.leases.waitUntilDrained();
    expect(events).toEqual(['released b', 'released c', 'started a']);
  });

  test('four times fails with the reason, and delays no other delivery', async () => {
    const attempted: string[] = [];
    const testbed = setUp(async ({ id }) => (attempted.push(id), completed));
    start(testbed, [{ id: 'deadly', expiredLeaseCount: 4 }, { id: 'after', expiredLeaseCount: 2 }, { id: 'other' }]);
    await testbed.leases.waitUntilDrained();
    expect(attempted.toSorted()).toEqual(['after', 'other']);
    const reason = 'its lease expired 4 times: workers crashed or were cut off from PostgreSQL';
    expect(testbed.events).toContainEqual(['failed', 'deadly', 'mine', reason]);
  });
});

test.each([1, 2, 13, 25, 200])(
  'with a concurrency of %d, about a quarter of the leases is reserved for new events',
  async (concurrency) => {
    const maxLeased = concurrency * 2;
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const testbed = setUp(
      async () => {
        await opened;
        return completed;
      },
      { concurrency },
    );
    let leasedCount = 0;
    for (; testbed.leases.available('claim') > 0; leasedCount++) start(testbed, [{ id: String(leasedCount) }]);
    // The share is rounded up, so it is at least one delivery.
    expect(leasedCount).toBe(Math.ceil((maxLeased * 3) / 4));
    let hasCapacity = false;
    if (leasedCount < maxLeased) await testbed.leases.waitForIngestCapacity(60_000);
    start(
      testbed,
      Array.from({ length: maxLeased - leasedCount }, (_, index) => ({ id: `new ${index}` })),
      { origin: 'ingest' },
    );
    const capacity = testbed.leases.waitForIngestCapacity(60_000).then(() => (hasCapacity = true));
    await sleep(0);
    expect(hasCapacity).toBe(false);
    gate.open?.();
    await capacity;
    await testbed.leases.waitUntilDrained();
  },
);

describe('waiting for capacity', () => {
  test('ends for as many callers as there is capacity for, and for the others after their time', async () => {
    const gates = new Map<string, () => void>();
    const attempt = ({ id }: DeliveryTask) => new Promise<void>((open) => gates.set(id, open)).then(() => completed);
    const testbed = setUp(attempt, { concurrency: 1 });
    start(testbed, [{ id: 'one' }, { id: 'two' }], { origin: 'ingest' });
    const ended: string[] = [];
    const waits = ['first', 'second'].map((name) =>
      testbed.leases.waitForIngestCapacity(60_000).then(() => ended.push(name)),
    );
    await testbed.leases.waitForIngestCapacity(1).then(() => ended.push('third'));
    gates.get('one')?.();
    await waits[0];
    expect(ended).toEqual(['third', 'first']);
    gates.get('two')?.();
    await testbed.leases.waitUntilDrained();
    await waits[1];
  });

  test('ends without capacity when the worker stops', async () => {
    const testbed = setUp(async () => completed, { concurrency: 1 });
    start(testbed, [{ id: 'one' }, { id: 'two' }], { origin: 'ingest' });
    const waiting = testbed.leases.waitForIngestCapacity(60_000);
    testbed.leases.close();
    await Promise.all([waiting, testbed.leases.waitForIngestCapacity(60_000)]);
    await testbed.leases.waitUntilDrained();
    expect([testbed.leases.available('ingest'), testbed.leases.available('claim')]).toEqual([0, 0]);
  });
});

test('a call at the next end of a lease is made once, when the lease is available again', async () => {
  const gates = new Map<string, () => void>();
  const attempt = ({ id }: DeliveryTask) => new Promise<void>((open) => gates.set(id, open)).then(() => completed);
  const testbed = setUp(attempt, { concurrency: 1 });
  start(testbed, [{ id: 'one' }, { id: 'two' }]);
  const available: number[] = [];
  testbed.leases.onNextEnd(() => available.push(testbed.leases.available('claim')));
  for (const open of gates.values()) open();
  await testbed.leases.waitUntilDrained();
  expect(available).toEqual([1]);
});

test('retries get a quarter of the permits while first attempts are made, and as many as they want otherwise', async () => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((open) => (gate.open = open));
  const testbed = setUp(() => opened.then(() => completed), { concurrency: 8 });
  start(testbed, [{ id: 'retry', attemptCount: 1 }]);
  expect(testbed.leases.availableRetries()).toBe(Infinity);
  start(testbed, [{ id: 'first', attemptCount: 0 }]);
  expect(testbed.leases.availableRetries()).toBe(1);
  start(testbed, [{ id: 'resend', attemptCount: 0, isResend: true }]);
  expect(testbed.leases.availableRetries()).toBe(0);
  gate.open?.();
  await testbed.leases.waitUntilDrained();
  expect(testbed.leases.availableRetries()).toBe(2);
  await until(() => testbed.leases.availableRetries() === Infinity);
});
