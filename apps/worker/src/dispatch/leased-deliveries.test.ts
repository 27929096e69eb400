import { describe, expect, test } from '@jest/globals';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryTask } from '@ringback/database';
import { attemptLeased, type AttemptDeps, type AttemptResult, type LeaseTimes } from '../attempt/attempt.js';
import { createPayloads } from '../attempt/payloads.js';
import { createLeasedDeliveries, type LeasedDeliveriesDeps, type Origin } from './leased-deliveries.js';

const task = {
  ...{ id: 'one', webhookId: 'w', accountId: 'a', channel: 'sms', state: 'pending' },
  ...{ payload: '{}', lease: 'mine', crashCount: 0 },
} as DeliveryTask;
const completed: AttemptResult = { retryInMs: null, released: false };
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** Leased deliveries, and a list of what happens to them. */
function openScene(attempt: LeasedDeliveriesDeps['attempt'], maxLeased = 10) {
  const events: unknown[] = [];
  const leased = createLeasedDeliveries({
    ...{ log, leaseMs: 5_000, reservedMs: 3_000, maxLeased, attempt },
    renew: async () => {},
    release: async ({ id }, waitMs) => void events.push(['released', id, waitMs]),
    fail: async (id, reason) => void events.push(['given up', id, reason]),
    onEnd: ({ id }, result) => void events.push(['ended', id, result]),
  });
  return { leased, events };
}
const start = (
  { leased }: ReturnType<typeof openScene>,
  changes: Partial<DeliveryTask>[],
  { askedAt = performance.now(), origin = 'claimed' }: { askedAt?: number; origin?: Origin } = {},
) =>
  leased.start(
    changes.map((change) => ({ ...task, ...change })),
    askedAt,
    origin,
  );

/** The end of a leased delivery, when loading it again takes `loadMs`, and loading a large payload as long. */
async function attemptOne(
  times: LeaseTimes,
  loadMs: number,
  changes: Partial<DeliveryTask> = {},
  payload: string | null = '{}',
) {
  let end = 'nothing';
  const stop = new Error('it would be called now');
  const deps = {
    payloads: createPayloads(() => sleep(loadMs).then(() => '{}')),
    limiter: { acquire: async () => ({ start: () => undefined, release: () => undefined }) },
    store: {
      load: async () => {
        await sleep(loadMs);
        return { ...task, ...changes };
      },
      release: async () => void (end = 'released'),
    },
    get requireVerification() {
      // The first property that an attempt reads.
      end = 'called';
      throw stop;
    },
  } as unknown as AttemptDeps;
  await attemptLeased(deps, { ...task, payload }, times).catch((error: unknown) => expect(error).toBe(stop));
  return end;
}

describe('a leased delivery', () => {
  test('is called within its lease, and released when loading it again took longer', async () => {
    const now = performance.now();
    expect(await attemptOne({ loadedAt: now, sendBy: now + 10_000 }, 0)).toBe('called');
    expect(await attemptOne({ loadedAt: now - 1_000, sendBy: now + 10_000 }, 20)).toBe('called');
    expect(await attemptOne({ loadedAt: now - 1_000, sendBy: performance.now() + 50 }, 100)).toBe('released');
    expect(await attemptOne({ loadedAt: now, sendBy: now - 1 }, 0)).toBe('released');
    const late = (callInMs: number): LeaseTimes => ({
      loadedAt: performance.now(),
      sendBy: performance.now() + callInMs,
    });
    expect(await attemptOne(late(10_000), 100, {}, null)).toBe('called');
    expect(await attemptOne(late(50), 100, {}, null)).toBe('released');
  });

  test('is not attempted when it has ended, or was leased to another worker, since it was loaded', async () => {
    const times = () => ({ loadedAt: performance.now() - 1_000, sendBy: performance.now() + 10_000 });
    expect(await attemptOne(times(), 0)).toBe('called');
    expect(await attemptOne(times(), 0, { lease: 'of another' })).toBe('nothing');
    expect(await attemptOne(times(), 0, { state: 'delivered' })).toBe('nothing');
  });

  test('has a lease that counts from its request, however late the response arrived', async () => {
    const times: LeaseTimes[] = [];
    const scene = openScene(async (_task, given) => (times.push(given), completed));
    const askedAt = performance.now() - 60_000;
    start(scene, [{}], { askedAt });
    await scene.leased.drained();
    expect(times.map(({ sendBy }) => sendBy)).toEqual([askedAt + 2_000]);
  });

  test('with an internal error is released with a wait', async () => {
    const scene = openScene(() => Promise.reject(new Error('no key opens the secret')));
    start(scene, [{}]);
    await scene.leased.drained();
    expect(scene.events).toEqual([
      ['released', 'one', 15_000],
      ['ended', 'one', { retryInMs: 15_000, released: false }],
    ]);
  });

  test('that is claimed again during its attempt is attempted once, and held under the new lease', async () => {
    const leases: unknown[] = [];
    const scene = openScene(async (started) => {
      leases.push(started.lease);
      await setImmediate();
      leases.push(started.lease);
      return completed;
    });
    start(scene, [{ lease: 'first' }]);
    start(scene, [{ lease: 'second' }]);
    await scene.leased.drained();
    expect(leases).toEqual(['first', 'second']);
  });
});

describe('a delivery whose workers died', () => {
  test('twice or three times starts when no other such delivery is leased; one whose worker died once starts at once', async () => {
    const scene = openScene(async ({ id }) => {
      scene.events.push(['started', id]);
      await sleep(10);
      return completed;
    });
    start(scene, [
      { id: 'a', crashCount: 2 },
      { id: 'b', crashCount: 3 },
      { id: 'c', crashCount: 1 },
      { id: 'd', crashCount: 2 },
    ]);
    await scene.leased.drained();
    expect(scene.events).toEqual([
      ['released', 'b', expect.closeTo(50, -2)],
      ['started', 'c'],
      ['released', 'd', expect.closeTo(100, -2)],
      ['ended', 'b', { retryInMs: expect.closeTo(50, -2), released: false }],
      ['ended', 'd', { retryInMs: expect.closeTo(100, -2), released: false }],
      ['started', 'a'],
      ['ended', 'c', completed],
      ['ended', 'a', completed],
    ]);
    start(scene, [{ id: 'b', crashCount: 3 }]);
    await scene.leased.drained();
    expect(scene.events.slice(-2)).toEqual([
      ['started', 'b'],
      ['ended', 'b', completed],
    ]);
  });

  test('twice starts only after the others of its claim were released: it may crash the worker at once', async () => {
    const events: string[] = [];
    const leased = createLeasedDeliveries({
      ...{ log, leaseMs: 5_000, reservedMs: 3_000, maxLeased: 10 },
      attempt: async ({ id }) => (events.push(`started ${id}`), completed),
      renew: async () => {},
      release: ({ id }) => sleep(20).then(() => void events.push(`released ${id}`)),
      fail: async () => {},
      onEnd: () => {},
    });
    const crashed = ['a', 'b', 'c'].map((id) => ({ ...task, id, crashCount: 2 }));
    leased.start(crashed, performance.now(), 'claimed');
    await leased.drained();
    expect(events).toEqual(['released b', 'released c', 'started a']);
  });

  test('four times is given up with the reason, and does not keep others from their attempts', async () => {
    const attempted: string[] = [];
    const scene = openScene(async ({ id }) => (attempted.push(id), completed));
    start(scene, [{ id: 'deadly', crashCount: 4 }, { id: 'after', crashCount: 2 }, { id: 'other' }]);
    await scene.leased.drained();
    expect(attempted.toSorted()).toEqual(['after', 'other']);
    expect(scene.events).toContainEqual(['given up', 'deadly', 'every worker that processed it crashed']);
  });
});

test.each([1, 2, 25, 50, 400])('a quarter of %d leases is reserved for new events', async (maxLeased) => {
  const gate: { open?: () => void } = {};
  const opened = new Promise<void>((open) => (gate.open = open));
  const scene = openScene(async () => {
    await opened;
    return completed;
  }, maxLeased);
  let waited = 0;
  for (; scene.leased.capacity('claimed') > 0; waited++) start(scene, [{ id: String(waited) }]);
  // The share is rounded up, so it is at least one delivery.
  expect(waited).toBe(Math.ceil((maxLeased * 3) / 4));
  let hasCapacity = false;
  if (waited < maxLeased) await scene.leased.waitForCapacity();
  start(
    scene,
    Array.from({ length: maxLeased - waited }, (_, index) => ({ id: `new ${index}` })),
    { origin: 'stored' },
  );
  const capacity = scene.leased.waitForCapacity().then(() => (hasCapacity = true));
  await sleep(0);
  expect(hasCapacity).toBe(false);
  gate.open?.();
  await capacity;
  await scene.leased.drained();
});

describe('waiting for capacity', () => {
  test('ends for all when no delivery is leased, because no other lease will end', async () => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const scene = openScene(() => opened.then(() => completed), 1);
    start(scene, [{}], { origin: 'stored' });
    const waiting = [1, 2, 3].map(() => scene.leased.waitForCapacity());
    gate.open?.();
    await scene.leased.drained();
    const isOver = await Promise.race([Promise.all(waiting).then(() => true), setImmediate(false)]);
    expect(isOver).toBe(true);
  });

  test('ends without capacity when the worker stops', async () => {
    const scene = openScene(async () => completed, 1);
    start(scene, [{}], { origin: 'stored' });
    const waiting = scene.leased.waitForCapacity();
    scene.leased.close();
    await Promise.all([waiting, scene.leased.waitForCapacity()]);
    await scene.leased.drained();
    expect([scene.leased.capacity('stored'), scene.leased.capacity('claimed')]).toEqual([0, 0]);
  });
});
