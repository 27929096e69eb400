import { expect, test } from '@jest/globals';
import type { DeliveryTask } from '@ringback/database';
import { createPayloadLoader, type Payload } from './payload-loader.js';

const large = '{"id":"m-1","text":"large"}';
const taskOf = (eventId: string, payload: string | null = null) =>
  ({ eventId, eventName: 'rcs:message:in', payload }) as DeliveryTask;

const inTime = { sendByMonotonicMs: Infinity };

/** A payload loader, with a list of the payloads that it loaded. The event `gone` has none. */
function setUp() {
  const loaded: string[] = [];
  const loader = createPayloadLoader((eventId) => {
    loaded.push(eventId);
    return Promise.resolve(eventId === 'gone' ? undefined : large);
  });
  return { loaded, loader };
}

test('a small payload is in its task, so nothing is loaded', async () => {
  const { loaded, loader } = setUp();
  expect(await loader.withPayload(taskOf('a', '{"id":"small"}'), inTime, (found) => Promise.resolve(found))).toEqual({
    payload: '{"id":"small"}',
  });
  expect(loaded).toEqual([]);
});

test('attempts for one event at the same time share one that is loaded, and its bytes', async () => {
  const { loaded, loader } = setUp();
  const found: Payload[] = [];
  let end = () => {};
  const until = new Promise<void>((resolve) => (end = resolve));
  const acts = Array.from({ length: 3 }, () =>
    loader.withPayload(taskOf('a'), inTime, async (payload) => {
      if (found.push(payload) === 3) end();
      await until;
    }),
  );
  await Promise.all(acts);
  expect(loaded).toEqual(['a']);
  expect(found[0]?.payload).toBe(large);
  expect(found[0]?.encodedPlainBody?.toString()).toBe(`{"event":"rcs:message:in","payload":${large}}`);
  for (const { encodedPlainBody } of found) expect(encodedPlainBody).toBe(found[0]?.encodedPlainBody);
});

test('a payload is loaded again after its last attempt has ended or failed', async () => {
  const { loaded, loader } = setUp();
  const fail = () => Promise.reject(new Error('no'));
  await expect(loader.withPayload(taskOf('a'), inTime, fail)).rejects.toThrow('no');
  await loader.withPayload(taskOf('a'), inTime, () => Promise.resolve());
  await loader.withPayload(taskOf('b'), inTime, () => Promise.resolve());
  expect(loaded).toEqual(['a', 'a', 'b']);
});

test('no attempt is made when the event was deleted', async () => {
  const { loader } = setUp();
  let acted = false;
  const result = await loader.withPayload(taskOf('gone'), inTime, async () => void (acted = true));
  expect([result, acted]).toEqual([undefined, false]);
});

test('attempts with large payloads start one after the other; small ones do not wait', async () => {
  const loader = createPayloadLoader(() => Promise.resolve('x'.repeat(500_000)));
  const order: string[] = [];
  const acts = [1, 2, 3].map((number) =>
    loader.withPayload(taskOf('a'), inTime, async () => {
      order.push(`large ${number}`);
      setImmediate(() => order.push('another'));
    }),
  );
  await Promise.all(acts);
  expect(order.slice(0, 5)).toEqual(['large 1', 'another', 'large 2', 'another', 'large 3']);
});

test('a payload near the limit of 16 MiB that could not be sent in time does not delay the next one', async () => {
  const loader = createPayloadLoader(() => Promise.resolve('x'.repeat(16 * 2 ** 20)));
  const order: string[] = [];
  const late = { sendByMonotonicMs: performance.now() };
  const acts = [inTime, late, late, inTime].map((times, index) =>
    loader.withPayload(taskOf('a'), times, async () => {
      order.push(`large ${index}`);
      setImmediate(() => order.push('another'));
    }),
  );
  await Promise.all(acts);
  expect(order.slice(0, 5)).toEqual(['large 0', 'another', 'large 1', 'large 2', 'large 3']);
});
