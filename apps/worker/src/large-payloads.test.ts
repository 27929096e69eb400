import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryTask } from '@ringback/ledger';
import { type LargePayload, LargePayloads } from './large-payloads.js';

const large = '{"id":"m-1","text":"large"}';
const taskOf = (eventId: string) => ({ eventId, eventName: 'rcs:message:in', payload: null }) as DeliveryTask;

/** Payloads, and the ids of the events whose payloads it loaded. The event `gone` has none. */
function setUp() {
  const loaded: string[] = [];
  const payloads = new LargePayloads({
    payloadBytes: (eventId) => Promise.resolve(eventId === 'gone' ? undefined : large.length),
    loadPayload(eventId) {
      loaded.push(eventId);
      return Promise.resolve(eventId === 'gone' ? undefined : large);
    },
  });
  return { loaded, payloads };
}

/** Payloads that all have this size. */
const payloadsOf = (bytes: number) =>
  new LargePayloads({
    payloadBytes: () => Promise.resolve(bytes),
    loadPayload: () => Promise.resolve('x'.repeat(bytes)),
  });

test('concurrent attempts for one event share a loaded payload and its bytes', async () => {
  const { loaded, payloads } = setUp();
  const used: LargePayload[] = [];
  let endAll = () => {};
  const allStarted = new Promise<void>((resolve) => (endAll = resolve));
  const runs = Array.from({ length: 3 }, () =>
    payloads.use(taskOf('a'), Infinity, async (payload) => {
      if (used.push(payload!) === 3) endAll();
      await allStarted;
    }),
  );
  await Promise.all(runs);
  expect(loaded).toEqual(['a']);
  expect(used[0]?.payload).toBe(large);
  expect(used[0]?.encodedPlainBody.toString()).toBe(`{"event":"rcs:message:in","payload":${large}}`);
  for (const { encodedPlainBody } of used) expect(encodedPlainBody).toBe(used[0]?.encodedPlainBody);
});

test('a payload is loaded again after the attempts that shared it have ended or failed', async () => {
  const { loaded, payloads } = setUp();
  const fail = () => Promise.reject(new Error('no'));
  await expect(payloads.use(taskOf('a'), Infinity, fail)).rejects.toThrow('no');
  await payloads.use(taskOf('a'), Infinity, () => Promise.resolve());
  await payloads.use(taskOf('b'), Infinity, () => Promise.resolve());
  expect(loaded).toEqual(['a', 'a', 'b']);
});

test('there is no payload when the event was deleted', async () => {
  const { payloads } = setUp();
  expect(await payloads.use(taskOf('gone'), Infinity, async (payload) => payload)).toBeUndefined();
});

test('attempts with large payloads start one after the other, at about 100 MB a second', async () => {
  const payloads = payloadsOf(2_000_000);
  const order: string[] = [];
  const timers: Promise<void>[] = [];
  /** Two timers, one after the other. A busy machine delays them as it delays the payloads. */
  const runTimers = async (ms: number) => {
    for (const count of [1, 2]) await sleep(ms).then(() => order.push(`${count} x ${ms} ms`));
  };
  const runs = [0, 1, 2].map((count) =>
    payloads.use(taskOf('a'), Infinity, async () => {
      if (count === 0) timers.push(runTimers(10), runTimers(60));
      else order.push(`${count} x 2 MB`);
    }),
  );
  await Promise.all(runs);
  await Promise.all(timers);
  const paired = (count: number) => order.filter((entry) => entry.startsWith(`${count} x`));
  for (const count of [1, 2])
    expect(paired(count)).toEqual([`${count} x 10 ms`, `${count} x 2 MB`, `${count} x 60 ms`]);
});

test('a payload near the limit of 16 MiB that could not be sent in time does not delay the next one', async () => {
  const payloads = payloadsOf(16 * 2 ** 20);
  const order: string[] = [];
  const late = performance.now();
  const runs = [Infinity, late, late, Infinity].map((sendBy, index) =>
    payloads.use(taskOf('a'), sendBy, async () => {
      order.push(`large ${index}`);
      setImmediate(() => order.push('another'));
    }),
  );
  await Promise.all(runs);
  expect(order.slice(0, 5)).toEqual(['large 0', 'another', 'large 1', 'large 2', 'large 3']);
});

test('payloads wait for memory before they are loaded, and are not loaded when it comes too late', async () => {
  const mib = 2 ** 20;
  const loaded: string[] = [];
  const payloads = new LargePayloads({
    payloadBytes: (eventId) => Promise.resolve(eventId === 'small' ? mib : 30 * mib),
    loadPayload: (eventId) => Promise.resolve(loaded.push(eventId)).then(() => large),
  });
  let endFirst = () => {};
  const ended = new Promise<void>((resolve) => (endFirst = resolve));
  const first = payloads.use(taskOf('a'), Infinity, () => ended);
  await payloads.use(taskOf('b'), Infinity, async () => {});
  const second = payloads.use(taskOf('c'), Infinity, () => ended);
  const late = payloads.use(taskOf('d'), performance.now() + 20, async (payload) => payload);
  const later = payloads.use(taskOf('e'), Infinity, async (payload) => payload?.payload);
  expect(await late).toBeUndefined();
  expect(loaded).toEqual(['a', 'b', 'c']);
  await payloads.use(taskOf('small'), performance.now() + 20, async () => {});
  endFirst();
  await Promise.all([first, second]);
  expect(await later).toBe(large);
  expect(loaded).toEqual(['a', 'b', 'c', 'e']);
});

test('a payload that found no memory in time is loaded by the next attempt, though others that missed it go on', async () => {
  const payloads = payloadsOf(40 * 2 ** 20);
  let endAll = () => {};
  const ended = new Promise<void>((resolve) => (endAll = resolve));
  let freeMemory = () => {};
  const freed = new Promise<void>((resolve) => (freeMemory = resolve));
  const holder = payloads.use(taskOf('a'), Infinity, () => freed);
  const missed: unknown[] = [];
  let goOn = () => {};
  const bothMissed = new Promise<void>((resolve) => (goOn = resolve));
  const others = [1, 2].map(() =>
    payloads.use(taskOf('b'), performance.now() + 20, (payload) => {
      if (missed.push(payload) === 2) goOn();
      return ended;
    }),
  );
  await bothMissed;
  freeMemory();
  await holder;
  const length = await payloads.use(taskOf('b'), Infinity, async (payload) => payload?.payload.length);
  endAll();
  await Promise.all(others);
  expect([missed, length]).toEqual([[undefined, undefined], 40 * 2 ** 20]);
});

test('a payload above the limit is loaded when no other is held', async () => {
  const payloads = new LargePayloads({
    payloadBytes: () => Promise.resolve(2 ** 30),
    loadPayload: () => Promise.resolve(large),
  });
  expect(await payloads.use(taskOf('a'), Infinity, async (payload) => payload?.payload)).toBe(large);
});
