import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { parseAllowList } from '@ringback/rules';
import { until } from '@ringback/testing';
import { makeCertificate, startReceiver, type Receiver, type ReceiverSettings } from '@ringback/receiver';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import { openTestProxy, type TestProxy } from './egress-proxy.fixture.js';
import { parseProxyUrl } from '@ringback/process';
import { createSender } from './send.js';
import { literals } from './send-egress.data.js';
import { forms, privateNames } from './send-egress-forms.data.js';
import { plainRequest } from './send-egress.fixture.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** Listens, prints its port, and never accepts a connection. */
const mute = `const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('fs').writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
})`;

const ok = { type: 'response', status: 200 };
// Only a proxy that hangs makes the call wait for its timeout.
const timeoutOf = (answer?: string) => (answer === 'hang' ? 400 : 10_000);

async function open(answer?: string, settings: Partial<AgentSettings> = {}) {
  const proxy = await openTestProxy(answer);
  const resolve: AgentSettings['resolve'] = () => Promise.reject(new Error('the names are for the proxy to resolve'));
  const address = parseProxyUrl(`http://127.0.0.1:${proxy.port}`);
  const timeoutMs = timeoutOf(answer);
  const sender = createSender({ timeoutMs, allow: parseAllowList(''), resolve, proxy: address, ...settings });
  closers.push(
    () => sender.close(),
    () => proxy.close(),
  );
  return { proxy, call: (url: string) => sender.send({ ...plainRequest, url }) };
}

async function listen(settings: ReceiverSettings = {}): Promise<{ receiver: Receiver; host: string }> {
  const receiver = await startReceiver(settings);
  closers.push(() => receiver.close());
  return { receiver, host: `receiver.example:${new URL(receiver.origin).port}` };
}

const targets = ({ asked }: TestProxy) => asked.map(({ target }) => target);

describe('through a proxy', () => {
  test('http and https go through a tunnel, with the same bytes as without one', async () => {
    const certificate = makeCertificate({ name: 'receiver.example' });
    const [plain, secure] = await Promise.all([listen(), listen({ certificate })]);
    const { proxy, call } = await open('open', { ca: certificate.cert });
    expect((await call(`http://${plain.host}/in?a=1`)).outcome).toEqual(ok);
    const { outcome, timings, remoteAddress } = await call(`https://${secure.host}/in?a=1`);
    // The proxy's address is not recorded.
    expect(remoteAddress).toBeNull();
    expect(outcome).toEqual(ok);
    expect(timings).toMatchObject({ dnsMs: null, connectMs: expect.any(Number), tlsMs: expect.any(Number) });
    expect(targets(proxy)).toEqual([plain.host, secure.host]);
    for (const { receiver, host } of [plain, secure]) {
      expect(receiver.calls).toMatchObject([{ path: '/in?a=1', headers: { host } }]);
      expect(Object.keys(receiver.calls[0]!.headers).join()).not.toContain('proxy');
    }
  });

  test('tunnels are reused for the next call', async () => {
    const { receiver, host } = await listen();
    const { proxy, call } = await open();
    for (let calls = 0; calls < 5; calls++) expect((await call(`http://${host}/`)).outcome).toEqual(ok);
    expect(targets(proxy)).toEqual([host]);
    expect(receiver.calls).toHaveLength(5);
  });

  test('the proxy’s credentials go to the proxy only', async () => {
    const { receiver, host } = await listen();
    const { port, asked, close } = await openTestProxy();
    closers.push(close);
    const sender = createSender({
      timeoutMs: timeoutOf(),
      allow: parseAllowList(''),
      proxy: parseProxyUrl(`http://us%40er:p%3Ass@127.0.0.1:${port}`),
    });
    closers.push(() => sender.close());
    await sender.send({ ...plainRequest, url: `http://${host}/` });
    expect(asked).toEqual([{ target: host, credentials: `Basic ${Buffer.from('us@er:p:ss').toString('base64')}` }]);
    expect(receiver.calls[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('TLS is verified end to end', async () => {
    const { host, receiver } = await listen({ certificate: makeCertificate({ name: 'receiver.example' }) });
    const { call } = await open();
    expect((await call(`https://${host}/`)).outcome).toMatchObject({
      type: 'tls',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(receiver.calls).toEqual([]);
  });

  test('the proxy gets no forbidden address and no private name', async () => {
    const { proxy, call } = await open();
    for (const url of [...literals, ...forms, ...privateNames]) {
      expect(await call(url)).toMatchObject({ outcome: { type: 'refused' } });
    }
    expect(targets(proxy)).toEqual([]);
  });

  test('private names are refused with an allow list too, because only the proxy resolves them', async () => {
    const { proxy, call } = await open('open', { allow: parseAllowList('127.0.0.0/8') });
    for (const url of privateNames) expect(await call(url)).toMatchObject({ outcome: { type: 'refused' } });
    expect(targets(proxy)).toEqual([]);
  });

  test.each([
    ['403 Forbidden', { type: 'refused', code: 'PROXY_403' }],
    ['407 Proxy Authentication Required', { type: 'refused', code: 'PROXY_407' }],
    ['502 Bad Gateway', { type: 'connect', code: 'PROXY_502' }],
    ['close', { type: 'connect', code: 'PROXY_CLOSED' }],
    ['hang', { type: 'timeout', code: 'CONNECT_TIMEOUT' }],
  ])('a proxy with the behaviour "%s" gives the outcome %j', async (answer, outcome) => {
    const { call } = await open(answer);
    expect((await call('http://receiver.example/')).outcome).toEqual(outcome);
    expect((await call('https://receiver.example/')).outcome).toEqual(outcome);
  });

  test('a proxy that cannot be reached is an internal error', async () => {
    const { proxy, call } = await open();
    proxy.close();
    await expect(call('http://receiver.example/')).rejects.toMatchObject({
      name: 'SendError',
      code: 'PROXY_UNREACHABLE',
    });
  });

  test('a proxy that drops all packets is an internal error', async () => {
    const hole = spawn(process.execPath, ['-e', mute], { stdio: ['ignore', 'pipe', 'inherit'] });
    closers.push(() => hole.kill('SIGKILL'));
    const [port] = (await once(hole.stdout, 'data')) as [Buffer];
    // A client that connects while this many wait gets no response.
    const waiting = Array.from({ length: 8 }, () =>
      net.connect(Number(port), '127.0.0.1').on('error', () => undefined),
    );
    closers.push(() => waiting.forEach((socket) => socket.destroy()));
    await until(() => waiting.filter(({ connecting }) => !connecting).length >= 2, 'the queue of connections is full');
    const { call } = await open('hang', { proxy: parseProxyUrl(`http://127.0.0.1:${Number(port)}`) });
    await expect(call('http://receiver.example/')).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
  });

  test('many concurrent requests to one host all get their response', async () => {
    const { receiver, host } = await listen({ answer: { status: 200, delayMs: 10 } });
    const { call } = await open();
    const sent = await Promise.all(Array.from({ length: 50 }, () => call(`http://${host}/`)));
    expect(sent.map(({ outcome }) => outcome)).toEqual(Array(50).fill(ok));
    expect(receiver.calls).toHaveLength(50);
  });
});

test.each([
  ['http://proxy.example:3128', 'proxy.example', 3128],
  ['http://proxy.example/', 'proxy.example', 80],
  ['http://[::1]:3128', '::1', 3128],
])('%s is a proxy', (url, host, port) => {
  expect(parseProxyUrl(url)).toEqual({ host, port, headers: {} });
});

test.each([
  'https://proxy.example',
  'socks5://proxy.example',
  'proxy.example:3128',
  'http://u:secret@x/path',
  'http://x/?a',
  'http://%zz@x',
  '',
])('"%s" is not a proxy, and the error repeats nothing of it', (url) => {
  expect(() => parseProxyUrl(url)).toThrow(/^must be the URL of a proxy, such as http:\/\/proxy.example:3128$/);
});
