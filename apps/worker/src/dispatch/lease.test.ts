import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryTask } from '@ringback/database';
import { openClaimed } from './claimed.js';
import { deliverClaimed, type DeliverDeps, type Held } from './deliver.js';
import { openPayloads } from './payloads.js';

const task = {
  id: 'one',
  webhookId: 'w',
  accountId: 'a',
  channel: 'sms',
  state: 'pending',
  parked: true,
  payload: '{}',
} as DeliveryTask;

/** Whether a call is made of a claimed delivery that takes `loadMs` to load again, and as long for its payload when large. */
async function isCalled(held: Held, loadMs: number, payload: string | null = '{}'): Promise<boolean> {
  let called = false;
  const stop = new Error('it would be called now');
  const deps = {
    inHand: new Set(),
    payloads: openPayloads(() => sleep(loadMs).then(() => '{}')),
    lanes: { enter: async () => ({ leave: () => undefined }) },
    load: async () => {
      await sleep(loadMs);
      return task;
    },
    get requireVerification() {
      // The first thing that an attempt looks at.
      called = true;
      throw stop;
    },
  } as unknown as DeliverDeps;
  await deliverClaimed(deps, { ...task, payload }, held).catch((error: unknown) => expect(error).toBe(stop));
  return called;
}

test('a delivery is called within its lease, and left to others when loading it again took longer', async () => {
  const now = performance.now();
  expect(await isCalled({ loadedAt: now, callBy: now + 10_000 }, 0)).toBe(true);
  expect(await isCalled({ loadedAt: now - 1_000, callBy: now + 10_000 }, 20)).toBe(true);
  expect(await isCalled({ loadedAt: now - 1_000, callBy: performance.now() + 50 }, 100)).toBe(false);
  expect(await isCalled({ loadedAt: now, callBy: now - 1 }, 0)).toBe(false);
  expect(await isCalled({ loadedAt: performance.now(), callBy: performance.now() + 10_000 }, 100, null)).toBe(true);
  expect(await isCalled({ loadedAt: performance.now(), callBy: performance.now() + 50 }, 100, null)).toBe(false);
});

test('a lease counts from when it was asked for, however late the answer came', async () => {
  const held: Held[] = [];
  const claimed = openClaimed({
    ...{ log: undefined as never, leaseMs: 5_000, callMs: 3_000, most: 10, mostParked: () => 10 },
    deliver: async (_, given) => {
      held.push(given);
      return { type: 'done' };
    },
    enqueue: async () => undefined,
    onEnd: () => undefined,
  });
  const askedAt = performance.now() - 60_000;
  claimed.start([task], askedAt);
  claimed.resume([task], askedAt);
  await claimed.ended();
  expect(held.map(({ callBy }) => callBy)).toEqual([askedAt + 2_000, askedAt + 2_000]);
});

test.each([1, 2, 25, 50, 400])(
  'of %d that may be in hand a quarter is kept from those that were parked',
  async (most) => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((open) => (gate.open = open));
    const claimed = openClaimed({
      ...{ log: undefined as never, leaseMs: 5_000, callMs: 3_000, most, mostParked: () => most },
      deliver: async () => {
        await opened;
        return { type: 'done' };
      },
      enqueue: async () => undefined,
      onEnd: () => undefined,
    });
    let fetched = 0;
    for (; claimed.free() > 0; fetched++) claimed.resume([{ ...task, id: String(fetched) }], performance.now());
    // Whole deliveries, and one at least.
    expect([fetched, claimed.free()]).toEqual([Math.ceil((most * 3) / 4), 0]);
    gate.open?.();
    await claimed.ended();
  },
);
