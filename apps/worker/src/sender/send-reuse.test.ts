import { parseAllowList } from '@ringback/rules';
import { makeCertificate } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { egressProxy, openTestProxy } from './egress-proxy.fixture.js';
import { idleLimitMs } from './idle-connections.js';
import type { AgentSettings } from './connections.js';
import { openRawReceiver, type RawReceiver, rawResponse, type Respond } from './raw-receiver.fixture.js';
import { plainRequest, stubResolver } from './send-egress.fixture.js';
import { Sender, type SendResult } from './send.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const ways = ['http', 'https', 'https through a proxy'] as const;
type Way = (typeof ways)[number];

/** A raw receiver, and calls to it with a separate sender. */
async function open(
  respond: Respond,
  way: Way = 'http',
  settings: Partial<AgentSettings> = {},
): Promise<RawReceiver & { call(name?: string): Promise<SendResult> }> {
  const certificate = way === 'http' ? undefined : makeCertificate({ name: '*.receiver.example' });
  const receiver = await openRawReceiver(respond, certificate);
  const proxy = way === 'https through a proxy' ? await openTestProxy() : undefined;
  const sender = new Sender({
    timeoutMs: 20_000,
    allow: parseAllowList('127.0.0.0/8'),
    resolve: stubResolver({ '*': ['127.0.0.1'] }),
    proxy: proxy && egressProxy(`http://127.0.0.1:${proxy.port}`),
    ca: certificate?.cert,
    ...settings,
  });
  closers.push(
    () => sender.close(),
    () => receiver.close(),
    () => proxy?.close(),
  );
  const urlOf = (name: string) => `${certificate ? 'https' : 'http'}://${name}:${receiver.port}/`;
  return { ...receiver, call: (name = 'one.receiver.example') => sender.send({ ...plainRequest, url: urlOf(name) }) };
}

const response = (status: number) => ({ type: 'response', status });
const reset = { type: 'reset', code: 'ECONNRESET' };
const promise = 'Keep-Alive: timeout=120\r\n';

describe.each(ways)('%s: an attempt is one request', (way) => {
  test('when the receiver drops a new connection after it has read the request', async () => {
    const { call, requests } = await open((connection) => connection.destroy(), way);
    for (let attempt = 1; attempt <= 4; attempt++) {
      expect((await call()).outcome).toEqual(reset);
      expect(requests()).toBe(attempt);
    }
  });

  test('when the receiver drops a reused connection, however long that was idle', async () => {
    const { call, requests, opened } = await open(
      (connection, index) => (index === 0 ? connection.write(rawResponse(200, 'ok', promise)) : connection.destroy()),
      way,
    );
    expect((await call()).outcome).toEqual(response(200));
    const idleFrom = performance.now();
    await until(() => performance.now() - idleFrom > 1_100);
    expect((await call()).outcome).toEqual(reset);
    expect(requests()).toBe(2);
    expect(opened()).toBe(1);
  });
});

describe.each(ways)('%s: an idle connection is closed', (way) => {
  test('after a second without a Keep-Alive timeout', async () => {
    const { call, opened, closed } = await open((connection) => connection.write(rawResponse(200)), way);
    await call();
    await call();
    expect(opened()).toBe(1);
    await until(() => closed() === 1);
    expect((await call()).outcome).toEqual(response(200));
    expect(opened()).toBe(2);
  });

  test.each([
    ['another response', rawResponse(200, 'bogus')],
    ['an early 408', 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'],
    ['one byte', '\n'],
  ])('when %s arrives, which is not taken for the response to the next request', async (_what, bytes) => {
    const connections: { write(bytes: string): unknown }[] = [];
    const { call, opened, closed } = await open((connection, index) => {
      connections.push(connection);
      connection.write(rawResponse(index === 0 ? 200 : 503, 'ok', promise));
    }, way);
    expect((await call()).outcome).toEqual(response(200));
    connections[0]?.write(bytes);
    await until(() => closed() === 1);
    expect((await call()).outcome).toEqual(response(503));
    expect(opened()).toBe(2);
  });

  test('when a second response comes in the same bytes as the first, and that one stands', async () => {
    const { call, requests, closed } = await open(
      (connection, index) =>
        connection.write(index === 0 ? rawResponse(500, 'first') + rawResponse(200, 'bogus') : rawResponse(503)),
      way,
    );
    expect(await call()).toMatchObject({ outcome: response(500), responseBody: 'first' });
    expect((await call()).outcome).toEqual(response(503));
    await until(() => closed() > 0);
    expect(requests()).toBe(2);
  });
});

describe.each(ways)('%s: a connection is not used again', (way) => {
  test.each([408, 421, 429, 503])('after a %d', async (status) => {
    const { call, opened } = await open((connection) => connection.write(rawResponse(status, 'ok', promise)), way);
    for (let calls = 1; calls <= 3; calls++) {
      expect((await call()).outcome).toEqual(response(status));
      expect(opened()).toBe(calls);
    }
  });

  test('when it is too old, whatever the receiver promises', async () => {
    const answer = (connection: { write(bytes: string): unknown }) => connection.write(rawResponse(200, 'ok', promise));
    const { call, opened } = await open(answer, way, { maxAgeMs: 300 });
    const from = performance.now();
    let lastOpened = 0;
    await until(async () => {
      expect((await call()).outcome).toEqual(response(200));
      lastOpened = opened();
      return performance.now() - from > 700;
    });
    expect(lastOpened).toBeGreaterThanOrEqual(2);
  });

  test('nor any other to the receiver, when a reused one broke before the response', async () => {
    const { call, requests, opened } = await open(
      (connection, index) => (index === 1 ? connection.destroy() : connection.write(rawResponse(200, 'ok', promise))),
      way,
    );
    const outcomes = [await call(), await call(), await call(), await call()].map(({ outcome }) => outcome);
    expect(outcomes).toEqual([response(200), reset, response(200), response(200)]);
    expect([requests(), opened()]).toEqual([4, 3]);
    // Another receiver's connections are reused.
    expect([await call('two.receiver.example'), await call('two.receiver.example')]).toHaveLength(2);
    expect(opened()).toBe(4);
  });

  test('nor any other to the receiver, when it closed an idle one at once without having said so', async () => {
    const { call, opened, closed } = await open((connection, index) => {
      connection.write(rawResponse(200, 'ok', promise));
      if (index === 0) setImmediate(() => connection.end());
    }, way);
    await call();
    await until(() => closed() === 1);
    for (let calls = 2; calls <= 4; calls++) {
      expect((await call()).outcome).toEqual(response(200));
      expect(opened()).toBe(calls);
    }
  });
});

test('a receiver that closes connections at the end of its keep-alive timeout costs no attempt', async () => {
  const outcomes: unknown[] = [];
  const { call, opened, requests } = await open((connection) => {
    connection.setTimeout(1_000, () => connection.destroy());
    connection.write(rawResponse(200, 'ok', 'Keep-Alive: timeout=1\r\n'));
  });
  for (let calls = 0; calls < 6; calls++) {
    outcomes.push((await call()).outcome);
    // From well before the limit until about the moment at which the receiver closes the connection.
    const idleFrom = performance.now();
    await until(() => performance.now() - idleFrom > calls * 250);
  }
  expect(outcomes).toEqual(Array(6).fill(response(200)));
  expect(requests()).toBe(6);
  expect(opened()).toBeGreaterThan(1);
});

test.each([
  ['', 1_000],
  ['timeout=5', 2_500],
  ['timeout=5, max=100', 2_500],
  ['max=100, timeout=30', 15_000],
  ['Timeout = 8', 4_000],
  ['timeout="10"', 5_000],
  ['timeout=1', 500],
  ['timeout=0', 0],
  ['timeout=120', 60_000],
  ['timeout=99999999999999999999999999', 60_000],
  ['timeout=-5', 1_000],
  ['timeout=soon', 1_000],
  ['mytimeout=60', 1_000],
])('with Keep-Alive "%s" a connection is used again within %d ms', (keepAlive, limitMs) => {
  expect(idleLimitMs(keepAlive)).toBe(limitMs);
});

test.each(ways.slice(1))(
  '%s: the next connection to a receiver resumes its TLS session, also with more than 100 receivers',
  async (way) => {
    const { call, opened, resumed } = await open(
      (connection) => connection.end(rawResponse(200, 'ok', 'Connection: close\r\n')),
      way,
    );
    const names = Array.from({ length: 120 }, (_, index) => `r${index}.receiver.example`);
    for (const name of names) expect((await call(name)).outcome).toEqual(response(200));
    expect(resumed()).toBe(0);
    for (const name of names) expect((await call(name)).outcome).toEqual(response(200));
    expect([opened(), resumed()]).toEqual([240, 120]);
  },
);
