import net, { type Socket } from 'node:net';
import { parseAllowList, parseNat64Prefixes } from '@ringback/rules';
import { makeCertificate, type Receiver, startReceiver } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import type { Dial } from './dial.js';
import { Sender } from './send.js';
import { openSpy, PendingSocket, plainRequest, stubResolver } from './send-egress.fixture.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const allow = parseAllowList('127.0.0.0/8,::1');
const ok = { type: 'response', status: 200 };

// A connection to one of these addresses opens after that time, or never.
type Network = Record<string, number | 'never' | 'refused'>;

/** Dials the addresses of a network, which all lead to the same server on loopback. */
function dialIn(network: Network, port: number) {
  const dialled: string[] = [];
  const sockets: Socket[] = [];
  const connectAfter = (delayMs: number) => {
    const socket = new net.Socket();
    setTimeout(() => socket.destroyed || socket.connect(port, '127.0.0.1'), delayMs);
    return socket;
  };
  const dial: Dial = (address) => {
    const behaviour = network[address] ?? 'never';
    const socket = typeof behaviour === 'number' ? connectAfter(behaviour) : new PendingSocket();
    const refusal = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    if (behaviour === 'refused') setImmediate(() => socket.destroy(refusal));
    dialled.push(address);
    sockets.push(socket);
    return socket;
  };
  return { dial, dialled, sockets };
}

async function open(
  network: Network,
  { scheme = 'http', ...settings }: Partial<AgentSettings> & { scheme?: string } = {},
) {
  const certificate = makeCertificate({ name: 'receiver.example' });
  const receiver: Receiver = await startReceiver({
    ...(scheme === 'https' ? { certificate } : {}),
    answer: { status: 200, headers: { connection: 'close' } },
  });
  const port = Number(new URL(receiver.origin).port);
  const { dial, dialled, sockets } = dialIn(network, port);
  const resolve = stubResolver({ 'receiver.example': Object.keys(network) });
  const sender = new Sender({ timeoutMs: 20_000, allow, resolve, dial, ca: certificate.cert, ...settings });
  closers.push(
    () => receiver.close(),
    () => sender.close(),
  );
  const url = `${scheme}://receiver.example:${port}/`;
  return { receiver, dialled, sockets, call: () => sender.send({ ...plainRequest, url }) };
}

describe.each(['http', 'https'])('%s: a receiver is reached', (scheme) => {
  test.each<[string, Network]>([
    ['300 ms away, with a dead IPv6 address', { '::1': 'never', '127.0.0.1': 300 }],
    ['300 ms away, before a dead address', { '127.0.0.1': 300, '127.0.0.2': 'never' }],
    ['900 ms away, between dead addresses', { '127.0.0.1': 'never', '127.0.0.2': 900, '127.0.0.3': 'never' }],
    [
      'behind four dead addresses',
      { '127.0.0.1': 'never', '::1': 'never', '127.0.0.2': 'never', '127.0.0.3': 'never', '127.0.0.4': 0 },
    ],
    ['behind addresses that refuse', { '127.0.0.1': 'refused', '127.0.0.2': 'refused', '127.0.0.3': 0 }],
  ])('%s', async (_what, network) => {
    const { call, receiver, sockets } = await open(network, { scheme });
    const sent = await call();
    expect(sent).toMatchObject({ outcome: ok, remoteAddress: '127.0.0.1' });
    expect(sent.timings).toMatchObject({ dnsMs: expect.any(Number), connectMs: expect.any(Number) });
    expect(receiver.calls).toHaveLength(1);
    await until(() => sockets.every(({ destroyed }) => destroyed), 'no connection is left');
    expect(receiver.connections()).toBe(1);
  });
});

test('the address that connected is tried first the next time', async () => {
  const { call, dialled } = await open({ '127.0.0.1': 'never', '127.0.0.2': 'never', '127.0.0.3': 0 });
  for (let calls = 0; calls < 3; calls++) expect((await call()).outcome).toEqual(ok);
  expect(dialled).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.3']);
});

test('the address that connected is not tried when the name no longer has it', async () => {
  const { call, dialled } = await open(
    { '127.0.0.1': 'refused', '127.0.0.2': 0 },
    {
      dnsTtlMs: 0,
      resolve: (() => {
        const answers = [['127.0.0.1', '127.0.0.2'], ['127.0.0.1']];
        return async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 }));
      })(),
    },
  );
  expect((await call()).outcome).toEqual(ok);
  expect((await call()).outcome).toEqual({ type: 'connect', code: 'ECONNREFUSED' });
  expect(dialled).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.1']);
});

test('the families are tried in turn, from the one that the resolver names first', async () => {
  const spy = openSpy();
  const addresses = ['2606:4700::1', '2606:4700::2', '2606:4700::3', '8.8.8.8', '8.8.4.4'];
  const sender = new Sender({
    timeoutMs: 20_000,
    allow: parseAllowList(''),
    resolve: stubResolver({ '*': addresses }),
    dial: spy.dial,
  });
  closers.push(() => sender.close());
  const { outcome } = await sender.send({ ...plainRequest, url: 'https://both.example/' });
  expect(outcome).toEqual({ type: 'connect', code: 'ECONNREFUSED' });
  expect(spy.dialled).toEqual(['2606:4700::1', '8.8.8.8', '2606:4700::2', '8.8.4.4', '2606:4700::3']);
});

test('a name whose addresses are all dead is a timeout, with the time that its lookup took', async () => {
  const { call, sockets } = await open({ '127.0.0.1': 'never', '::1': 'never' }, { timeoutMs: 600 });
  const { outcome, timings } = await call();
  expect(outcome.type).toBe('timeout');
  expect(timings).toEqual({ dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null });
  await until(() => sockets.every(({ destroyed }) => destroyed), 'no connection is left');
});

test.each([
  ['ENETUNREACH', 'ECONNREFUSED', 'ECONNREFUSED'],
  ['ECONNREFUSED', 'ENETUNREACH', 'ECONNREFUSED'],
  ['ENETUNREACH', 'EHOSTUNREACH', 'ENETUNREACH'],
])('when one address fails with %s and the other with %s, %s is reported', async (first, second, reported) => {
  const codes = [first, second];
  const { call } = await open(
    { '127.0.0.1': 'never', '127.0.0.2': 'never' },
    {
      dial: () => {
        const socket = new PendingSocket();
        const error = Object.assign(new Error('failed'), { code: codes.shift() });
        setImmediate(() => socket.destroy(error));
        return socket;
      },
    },
  );
  expect((await call()).outcome).toEqual({ type: 'connect', code: reported });
});

describe('NAT64', () => {
  const dialledFor = async (addresses: string[], list: string, prefixes = '') => {
    const spy = openSpy();
    const sender = new Sender({
      timeoutMs: 20_000,
      allow: parseAllowList(list).withNat64Prefixes(parseNat64Prefixes(prefixes)),
      resolve: stubResolver({ '*': addresses }),
      dial: spy.dial,
    });
    closers.push(() => sender.close());
    const { outcome } = await sender.send({ ...plainRequest, url: 'http://only-ipv4.example/' });
    return [outcome.type, ...spy.dialled];
  };

  test('an address with a public IPv4 address inside is dialled', async () => {
    expect(await dialledFor(['64:ff9b::808:808'], '')).toEqual(['connect', '64:ff9b::808:808']);
    const own = '2001:67c:2b0:db32:0:1:808:808';
    expect(await dialledFor([own], '', '2001:67c:2b0:db32:0:1::/96')).toEqual(['connect', own]);
  });
  test('an address with a private IPv4 address inside is refused, whatever EGRESS_ALLOWED_CIDRS opens', async () => {
    for (const address of ['64:ff9b::a9fe:a9fe', '64:ff9b::7f00:1', '64:ff9b::a00:1']) {
      expect(await dialledFor([address], '64:ff9b::/96,::/0')).toEqual(['refused']);
    }
    expect(await dialledFor(['2606:4700:64::a9fe:a9fe'], '', '2606:4700:64::/96')).toEqual(['refused']);
  });
});
