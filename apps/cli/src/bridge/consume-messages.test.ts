import { expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import type { BrokerConnection } from './source.js';
import { consumeMessages } from './consume-messages.js';

const ignore = () => undefined;
const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const broken: BrokerConnection = {
  run: () => Promise.reject(new Error('the session broke')),
  close: () => Promise.resolve(),
};

/** Starts a bridge whose `connect` is called with the number of calls before. */
async function start(connect: (calls: number) => Promise<BrokerConnection>) {
  const times: number[] = [];
  const stopping = new AbortController();
  const source = { name: 'a source', connect: () => connect(times.push(performance.now()) - 1) };
  const ingest = () => Promise.resolve();
  const { stopped } = await consumeMessages({ source, ingest, log, stopping: stopping.signal, setConnected: ignore });
  return { times, stop: () => stopping.abort(), stopped };
}

test('while sessions break at once, the waits before the next grow', async () => {
  const { times, stop, stopped } = await start(() => Promise.resolve(broken));
  await until(() => times.length === 4);
  stop();
  await stopped;
  const [, second = 0, third = 0, fourth = 0] = times;
  // Timers may be early by some milliseconds of the other clock.
  expect(third - second).toBeGreaterThan(990);
  expect(fourth - third).toBeGreaterThan(1_990);
});

test('a bridge stops while a connection is being made', async () => {
  const { times, stop, stopped } = await start((calls) =>
    calls === 0 ? Promise.resolve(broken) : new Promise<never>(ignore),
  );
  await until(() => times.length === 2);
  stop();
  await stopped;
});
