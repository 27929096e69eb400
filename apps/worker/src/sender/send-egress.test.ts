import { once } from 'node:events';
import net, { type AddressInfo, createServer, type Server } from 'node:net';
import tls from 'node:tls';
import { checkCallbackUri, parseAllowList, splitUserinfo, withoutMask } from '@ringback/rules';
import { startReceiver } from '@ringback/receiver';
import { failuresOf } from '@ringback/rules/fixture';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import { Sender } from './send.js';
import { literals } from './send-egress.data.js';
import { forms, privateNames, rebinding } from './send-egress-forms.data.js';
import { openSpy, plainRequest, stubResolver } from './send-egress.fixture.js';

const none = parseAllowList('');
const loopback = parseAllowList('127.0.0.0/8');
const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

function open(settings: Partial<AgentSettings>): Sender {
  const sender = new Sender({ timeoutMs: 20_000, allow: none, ...settings });
  closers.push(() => sender.close());
  return sender;
}

const publicAddress = '93.184.216.34';
const loopbackAt = (port: number) => ({ host: '127.0.0.1', port });

async function expectRefused(url: string, answers: Record<string, string[]>, allow = none): Promise<string[]> {
  const spy = openSpy();
  const resolve = stubResolver(answers);
  const sent = await open({ allow, resolve, dial: spy.dial }).send({ ...plainRequest, url });
  expect(sent).toMatchObject({ outcome: { type: 'refused' }, responseBody: null, remoteAddress: null });
  expect(spy.dialled).toEqual([]);
  return resolve.asked;
}

describe('connections that would be opened', () => {
  test.each([
    ['http://example.com/', publicAddress],
    ['https://example.com:8443/', publicAddress],
    ['http://8.8.8.8/', '8.8.8.8'],
    ['http://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
  ])('a request to %s connects to %s', async (url, address) => {
    const spy = openSpy();
    const sender = open({ resolve: stubResolver({ 'example.com': [publicAddress] }), dial: spy.dial });
    const { outcome } = await sender.send({ ...plainRequest, url });
    expect(outcome).toEqual({ type: 'connect', code: 'ECONNREFUSED' });
    expect(spy.dialled).toEqual([address]);
  });
});

/** Checks that a webhook cannot be created with the url, and that a call to it is refused without dialling. */
async function expectForbidden(url: string, answers: Record<string, string[]>): Promise<string[]> {
  expect(checkCallbackUri(url, none)).toHaveLength(1);
  return expectRefused(url, answers);
}

describe('a forbidden address in the uri', () => {
  test('as a literal is refused at creation and at the call, without a DNS query', async () => {
    const failures = await failuresOf(literals, async (url) => {
      expect(await expectForbidden(url, { '*': [publicAddress] })).toEqual([]);
    });
    expect(failures).toEqual([]);
  });
  test('in any other form is refused at creation and at the call', async () => {
    const failures = await failuresOf(forms, async (url) => void (await expectForbidden(url, { '*': ['127.0.0.1'] })));
    expect(failures).toEqual([]);
  });
});

describe('a user and password in the uri', () => {
  const addresses = { 'example.com': [publicAddress], '*': ['127.0.0.1'] };
  test.each(['http://127.0.0.1@example.com/', 'http://localhost:80@example.com/', 'http://127.0.0.1%2f@example.com/'])(
    '%s may be stored, because its host is example.com, and only there a request goes',
    async (url) => {
      expect(checkCallbackUri(url, none)).toEqual([]);
      const spy = openSpy();
      const sender = open({ resolve: stubResolver(addresses), dial: spy.dial });
      expect((await sender.send({ ...plainRequest, url: withoutMask(splitUserinfo(url).uri) })).outcome.type).toBe(
        'connect',
      );
      expect(spy.dialled).toEqual([publicAddress]);
    },
  );
  test('that is not masked is not sent', () => expectRefused('http://user:password@example.com/', addresses));
  test('does not hide a forbidden host', () => expectRefused('http://********@127.0.0.1/', addresses));
});

describe('a private name', () => {
  test('is refused at creation and at the call, without a DNS query', async () => {
    const failures = await failuresOf(privateNames, async (url) => {
      expect(await expectForbidden(url, { '*': [publicAddress] })).toEqual([]);
    });
    expect(failures).toEqual([]);
  });
  test('is refused where it resolves to a public address and loopback is allowed', async () => {
    const failures = await failuresOf(privateNames, async (url) => {
      await expectRefused(url, { '*': [publicAddress] }, loopback);
    });
    expect(failures).toEqual([]);
  });
  test.each([
    [['127.0.0.1'], ['127.0.0.1']],
    [['127.0.0.1', '::1'], ['127.0.0.1']],
    [['::1', '127.0.0.1'], ['127.0.0.1']],
    [['127.0.0.1', publicAddress], ['127.0.0.1']],
    [['::1', publicAddress], []],
  ])('localhost at %j, 127.0.0.0/8 allowed: connects to %j', async (addresses, allowed) => {
    const spy = openSpy();
    const sender = open({ allow: loopback, resolve: stubResolver({ localhost: addresses }), dial: spy.dial });
    const { outcome } = await sender.send({ ...plainRequest, url: 'http://localhost:8080/' });
    expect(outcome.type).toBe(allowed.length === 0 ? 'refused' : 'connect');
    expect(spy.dialled).toEqual(allowed);
  });
});

describe('a public name', () => {
  const forbidden = ['127.0.0.1', '::1', '169.254.169.254', '10.1.2.3', '::ffff:127.0.0.1', '0.0.0.0', 'fe80::1%eth0'];
  test.each(rebinding)('%j may be stored, and is refused where it resolves to loopback', async (url) => {
    expect(checkCallbackUri(url, none)).toEqual([]);
    await expectRefused(url, { '*': ['127.0.0.1'] });
  });
  test.each(forbidden)('with a public address and %s connects to the public one only', async (address) => {
    for (const addresses of [
      [publicAddress, address],
      [address, publicAddress],
    ]) {
      const spy = openSpy();
      const sender = open({ resolve: stubResolver({ '*': addresses }), dial: spy.dial });
      const outcomes = [
        await sender.send({ ...plainRequest, url: 'http://both.example/' }),
        await sender.send({ ...plainRequest, url: 'https://both.example/' }),
      ];
      expect(outcomes.map(({ outcome }) => outcome.type)).toEqual(['connect', 'connect']);
      expect(spy.dialled).toEqual([publicAddress, publicAddress]);
    }
  });
  test('with forbidden addresses only is refused', () => expectRefused('https://all.example/', { '*': forbidden }));
  test('that resolves to something other than an address is refused', () =>
    expectRefused('http://x.example/', { '*': ['localhost'] }));
  test('that does not resolve, or resolves to nothing, is a DNS failure', async () => {
    const spy = openSpy();
    const sender = open({ resolve: stubResolver({ 'empty.example': [] }), dial: spy.dial });
    for (const host of ['empty.example', 'missing.example']) {
      const { outcome } = await sender.send({ ...plainRequest, url: `http://${host}/` });
      expect(outcome).toEqual({ type: 'dns', code: 'ENOTFOUND' });
    }
    expect(spy.dialled).toEqual([]);
  });
  test('that changes between queries is checked each time, and the connection uses the checked address', async () => {
    const spy = openSpy();
    const answers: Record<string, string[]> = { 'rebind.example': [publicAddress] };
    const sender = open({ dnsTtlMs: 0, resolve: stubResolver(answers), dial: spy.dial });
    const outcomes: string[] = [];
    for (const address of [publicAddress, '127.0.0.1', '8.8.8.8', '169.254.169.254']) {
      answers['rebind.example'] = [address];
      outcomes.push((await sender.send({ ...plainRequest, url: 'http://rebind.example/' })).outcome.type);
    }
    expect(outcomes).toEqual(['connect', 'refused', 'connect', 'refused']);
    expect(spy.dialled).toEqual([publicAddress, '8.8.8.8']);
  });
});

describe('on real connections', () => {
  const countBytes = async (): Promise<{ server: Server; port: number; bytes: () => number }> => {
    let bytes = 0;
    const server = createServer((socket) => {
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const address = server.address();
    const { port }: Pick<AddressInfo, 'port'> = typeof address === 'object' && address !== null ? address : { port: 0 };
    return { server, port, bytes: () => bytes };
  };

  test.each([
    ['http', 'moved.example'],
    ['https', 'moved.example'],
    ['http', publicAddress],
    ['https', publicAddress],
  ])(
    '%s://%s: a connection to another address than the checked one is closed before a byte is written',
    async (scheme, host) => {
      const { port, bytes, server } = await countBytes();
      const resolve = stubResolver({ 'moved.example': [publicAddress] });
      // The checked address is public, but the connection goes to loopback.
      const isTlsDialled = scheme === 'https' && host === publicAddress;
      const sender = open({
        resolve,
        dial: () => (isTlsDialled ? tls.connect(loopbackAt(port)) : net.connect(loopbackAt(port))),
      });
      const closed = once(server, 'connection').then(async ([socket]) => once(socket, 'close'));
      const { outcome } = await sender.send({ ...plainRequest, url: `${scheme}://${host}:${port}/` });
      expect(outcome).toEqual({ type: 'refused', code: 'REFUSED_ADDRESS' });
      await closed;
      expect(bytes()).toBe(0);
    },
  );

  test('a redirect to a private address is a response, and is not followed', async () => {
    const receiver = await startReceiver({ answer: { status: 302, headers: { location: 'http://169.254.169.254/' } } });
    closers.push(() => receiver.close());
    const dialled: string[] = [];
    const sender = open({
      allow: loopback,
      dial: (address, openIt) => {
        dialled.push(address);
        return openIt();
      },
    });
    const { outcome } = await sender.send({ ...plainRequest, url: `${receiver.origin}/` });
    expect(outcome).toEqual({ type: 'response', status: 302 });
    expect(dialled).toEqual(['127.0.0.1']);
    expect(receiver.calls).toHaveLength(1);
  });

  test('a name is resolved once, and the Host header is the name', async () => {
    const receiver = await startReceiver();
    closers.push(() => receiver.close());
    const resolve = stubResolver({ 'receiver.example': ['127.0.0.1'] });
    const sender = open({ allow: loopback, resolve });
    const host = `receiver.example:${new URL(receiver.origin).port}`;
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => sender.send({ ...plainRequest, url: `http://${host}/` })),
    );
    expect(sent.map(({ outcome }) => outcome)).toEqual(Array(20).fill({ type: 'response', status: 200 }));
    expect(resolve.asked).toEqual(['receiver.example']);
    expect(receiver.calls.every(({ headers }) => headers.host === host)).toBe(true);
  });
});
