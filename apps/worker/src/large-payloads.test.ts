import { expect, test } from '@jest/globals';
import type { DeliveryTask } from '@ringback/ledger';
import { type LargePayload, LargePayloads } from './large-payloads.js';

const large = '{"id":"m-1","text":"large"}';
const taskOf = (eventId: string) => ({ eventId, eventName: 'rcs:message:in', payload: null }) as DeliveryTask;

/** Runs a function with the payload of a task, as an attempt does. `sendBy`: when it is sent at the latest. */
async function use<T>(
  payloads: LargePayloads,
  task: DeliveryTask,
  run: (payload: LargePayload | undefined) => Promise<T>,
  sendBy = Infinity,
): Promise<T> {
  try {
    return await run(await payloads.load(task, sendBy));
  } finally {
    payloads.release(task);
  }
}

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
    use(payloads, taskOf('a'), async (payload) => {
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
  await expect(use(payloads, taskOf('a'), fail)).rejects.toThrow('no');
  await use(payloads, taskOf('a'), () => Promise.resolve());
  await use(payloads, taskOf('b'), () => Promise.resolve());
  expect(loaded).toEqual(['a', 'a', 'b']);
});

test('there is no payload when the event was deleted', async () => {
  const { payloads } = setUp();
  expect(await use(payloads, taskOf('gone'), async (payload) => payload)).toBeUndefined();
});

test('attempts with large payloads start one after the other, at 100 MB a second', async () => {
  const payloads = payloadsOf(2_000_000);
  const startedAt = performance.now();
  const run = async () => performance.now() - startedAt;
  const startsMs = await Promise.all([1, 2, 3].map(() => use(payloads, taskOf('a'), run)));
  // Timers may be late, but not early, except for less than a millisecond.
  expect(startsMs[1]).toBeGreaterThan(19);
  expect(startsMs[2]).toBeGreaterThan(38);
});

test('a payload near the limit of 16 MiB that could not be sent in time does not delay the next one', async () => {
  const payloads = payloadsOf(16 * 2 ** 20);
  const order: string[] = [];
  const late = performance.now();
  const runs = [Infinity, late, late, Infinity].map((sendBy, index) =>
    use(
      payloads,
      taskOf('a'),
      async () => {
        order.push(`large ${index}`);
        setImmediate(() => order.push('another'));
      },
      sendBy,
    ),
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
  const first = use(payloads, taskOf('a'), () => ended);
  await use(payloads, taskOf('b'), async () => {});
  const second = use(payloads, taskOf('c'), () => ended);
  const late = use(payloads, taskOf('d'), async (payload) => payload, performance.now() + 20);
  const later = use(payloads, taskOf('e'), async (payload) => payload?.payload);
  expect(await late).toBeUndefined();
  expect(loaded).toEqual(['a', 'b', 'c']);
  await use(payloads, taskOf('small'), async () => {}, performance.now() + 20);
  endFirst();
  await Promise.all([first, second]);
  expect(await later).toBe(large);
  expect(loaded).toEqual(['a', 'b', 'c', 'e']);
});

test('a payload above the limit is loaded when no other is held', async () => {
  const payloads = new LargePayloads({
    payloadBytes: () => Promise.resolve(2 ** 30),
    loadPayload: () => Promise.resolve(large),
  });
  expect(await use(payloads, taskOf('a'), async (payload) => payload?.payload)).toBe(large);
});
