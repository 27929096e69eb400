import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import type { BrokerConnection } from './broker.js';
import { consumeMessages } from './bridge.js';

const ignore = () => undefined;
const never = () => new Promise<never>(() => undefined);
const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const broken: BrokerConnection = {
  run: () => Promise.reject(new Error('the connection broke')),
  close: () => Promise.resolve(),
};

/** Starts a bridge. `connect` gets the number of its earlier calls. `callTimes` has the time of each call. */
async function start(connect: (calls: number) => Promise<BrokerConnection>) {
  const callTimes: number[] = [];
  const stopping = new AbortController();
  const source = { name: 'a source', connect: () => connect(callTimes.push(performance.now()) - 1) };
  const ingest = () => Promise.resolve();
  const { stopped } = await consumeMessages({ source, ingest, log, stopping: stopping.signal, setConnected: ignore });
  return { callTimes, stop: () => stopping.abort(), stopped };
}

test('the wait before a reconnect grows while each connection breaks at once', async () => {
  const { callTimes, stop, stopped } = await start(() => Promise.resolve(broken));
  await until(() => callTimes.length === 4);
  stop();
  await stopped;
  const [, second = 0, third = 0, fourth = 0] = callTimes;
  // `setTimeout` and `performance.now()` use different clocks, so a timer may fire a few ms early.
  expect(third - second).toBeGreaterThan(990);
  expect(fourth - third).toBeGreaterThan(1_990);
});

test('a bridge stops while it connects', async () => {
  const { callTimes, stop, stopped } = await start((calls) => (calls === 0 ? Promise.resolve(broken) : never()));
  await until(() => callTimes.length === 2);
  stop();
  await stopped;
});
