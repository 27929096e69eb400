import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { parseAllowList } from '@ringback/rules';
import { until } from '@ringback/testing';
import { makeCertificate, startReceiver, type Receiver, type ReceiverSettings } from '@ringback/receiver';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import { egressProxy, openTestProxy, type TestProxy } from './egress-proxy.fixture.js';
import type { EgressProxyOptions } from './egress-proxy.js';
import { parseProxyExceptions, parseProxyUrl } from '@ringback/process';
import { Sender } from './send.js';
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

async function open(
  answer?: string,
  { http, isExcepted, log, now, ...settings }: Partial<AgentSettings & EgressProxyOptions> = {},
) {
  const proxy = await openTestProxy(answer);
  const resolve: AgentSettings['resolve'] = () => Promise.reject(new Error('the names are for the proxy to resolve'));
  const timeoutMs = timeoutOf(answer);
  const given = Object.fromEntries(
    Object.entries({ http, isExcepted, log, now }).filter(([, value]) => value !== undefined),
  );
  const known = egressProxy(`http://127.0.0.1:${proxy.port}`, { timeoutMs, ...given });
  const sender = new Sender({ timeoutMs, allow: parseAllowList(''), resolve, proxy: known, ...settings });
  closers.push(
    () => sender.close(),
    () => proxy.close(),
  );
  return { proxy, known, call: (url: string) => sender.send({ ...plainRequest, url }) };
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
    const sender = new Sender({
      timeoutMs: timeoutOf(),
      allow: parseAllowList(''),
      proxy: egressProxy(`http://us%40er:p%3Ass@127.0.0.1:${port}`),
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

  const via = 'Via: 1.1 egress.example';
  test.each([
    ['403 Forbidden', { type: 'refused', code: 'PROXY_DENIED' }],
    ['500 Internal Server Error', { type: 'connect', code: 'PROXY_500' }],
    ['502 Bad Gateway', { type: 'connect', code: 'PROXY_502' }],
    [`503 Busy\r\n${via}\r\nX-Squid-Error: ERR_CONNECT_FAIL 111`, { type: 'connect', code: 'PROXY_503' }],
    ['504 Late\r\nProxy-Status: egress; error=connection_timeout', { type: 'connect', code: 'PROXY_504' }],
    ['close', { type: 'connect', code: 'PROXY_CLOSED' }],
    ['hang', { type: 'timeout', code: 'CONNECT_TIMEOUT' }],
  ])('a proxy that answers CONNECT with %j gives the outcome %j', async (answer, outcome) => {
    const { call, known } = await open(answer);
    expect((await call('http://receiver.example/')).outcome).toEqual(outcome);
    expect((await call('https://receiver.example/')).outcome).toEqual(outcome);
    expect(known.reason()).toBeNull();
  });

  test.each([
    ['407 Proxy Authentication Required', 'PROXY_407'],
    [`502 Bad Gateway\r\n${via}`, 'PROXY_502'],
    [`503 Service Unavailable\r\n${via}`, 'PROXY_503'],
    ['503 Service Unavailable\r\nProxy-Status: egress.example; error=proxy_internal_error', 'PROXY_503'],
    ['503 Service Unavailable\r\nProxy-Status: egress.example; error=connection_limit_reached', 'PROXY_503'],
    [`503 Service Unavailable\r\n${via}\r\nX-Squid-Error: ERR_CANNOT_FORWARD 0`, 'PROXY_503'],
  ])('a proxy that answers CONNECT with %j has failed itself: an internal error', async (answer, code) => {
    const logged: unknown[] = [];
    const log = { warn: () => undefined, error: (...line: unknown[]) => void logged.push(line) };
    const { call, known } = await open(answer, { log });
    for (const url of ['http://receiver.example/', 'https://receiver.example/']) {
      await expect(call(url)).rejects.toMatchObject({ name: 'SendError', code });
    }
    expect(known.reason()).toContain(`EGRESS_PROXY fails (${code})`);
    // Once, not for each callback.
    expect(logged).toMatchObject([['egress_proxy.failing', { code }]]);
  });

  test.each(['tunnel', 'forward'] as const)('%s: a proxy that cannot be reached is an internal error', async (http) => {
    const { proxy, call, known } = await open('open', { http });
    proxy.close();
    await expect(call('http://receiver.example/')).rejects.toMatchObject({
      name: 'SendError',
      code: 'PROXY_UNREACHABLE',
    });
    expect(known.reason()).toContain('PROXY_UNREACHABLE');
  });

  test.each(['tunnel', 'forward'] as const)('%s: a proxy that drops all packets is an internal error', async (http) => {
    const hole = spawn(process.execPath, ['-e', mute], { stdio: ['ignore', 'pipe', 'inherit'] });
    closers.push(() => hole.kill('SIGKILL'));
    const [port] = (await once(hole.stdout, 'data')) as [Buffer];
    // A client that connects while this many wait gets no response.
    const waiting = Array.from({ length: 8 }, () =>
      net.connect(Number(port), '127.0.0.1').on('error', () => undefined),
    );
    closers.push(() => waiting.forEach((socket) => socket.destroy()));
    await until(() => waiting.filter(({ connecting }) => !connecting).length >= 2, 'the queue of connections is full');
    const proxy = egressProxy(`http://127.0.0.1:${Number(port)}`, { timeoutMs: 400, http });
    const { call } = await open('hang', { proxy });
    await expect(call('http://receiver.example/')).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
  });

  test.each(['tunnel', 'forward'] as const)(
    '%s: a proxy that only closes connections is an internal error',
    async (http) => {
      const server = net.createServer(
        (socket) => void socket.on('error', () => undefined).once('data', () => socket.destroy()),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(() => server.close());
      const { port } = server.address() as net.AddressInfo;
      const proxy = egressProxy(`http://127.0.0.1:${port}`, { http });
      const { call } = await open('open', { proxy });
      for (const scheme of ['http', 'https']) {
        await expect(call(`${scheme}://receiver.example/`)).rejects.toMatchObject({ code: 'PROXY_CLOSES' });
      }
      expect(proxy.reason()).toContain('PROXY_CLOSES');
    },
  );

  test.each(['tunnel', 'forward'] as const)('%s: a receiver that breaks the connection has broken it', async (http) => {
    const { host } = await listen({ answer: 'reset' });
    const { call, known } = await open('open', { http });
    expect((await call(`http://${host}/`)).outcome).toMatchObject({ type: 'reset' });
    expect(known.reason()).toBeNull();
  });

  test.each(['tunnel', 'forward'] as const)(
    '%s: a proxy that ends during a request is an internal error',
    async (http) => {
      const { receiver, host } = await listen({ answer: 'hang' });
      const { call, proxy } = await open('open', { http });
      const sent = call(`http://${host}/`);
      const refused = expect(sent).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
      await until(() => receiver.calls.length === 1, 'the receiver has the request');
      proxy.close();
      await refused;
    },
  );

  test.each(['tunnel', 'forward'] as const)(
    '%s: a proxy that accepts connections and never answers is an internal error',
    async (http) => {
      const server = net.createServer((socket) => void socket.on('error', () => undefined).resume());
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(() => server.close());
      const timeoutMs = 2_000;
      const { port } = server.address() as net.AddressInfo;
      const proxy = egressProxy(`http://127.0.0.1:${port}`, { timeoutMs, http });
      const { call } = await open('open', { proxy, timeoutMs });
      await expect(call('http://receiver.example/')).rejects.toMatchObject({ code: 'PROXY_HANGS' });
      expect(proxy.reason()).toContain('PROXY_HANGS');
    },
  );

  test('many concurrent requests to one host all get their response', async () => {
    const { receiver, host } = await listen({ answer: { status: 200, delayMs: 10 } });
    const { call } = await open();
    const sent = await Promise.all(Array.from({ length: 50 }, () => call(`http://${host}/`)));
    expect(sent.map(({ outcome }) => outcome)).toEqual(Array(50).fill(ok));
    expect(receiver.calls).toHaveLength(50);
  });
});

describe('a proxy that forwards http', () => {
  test('gets the whole url and its credentials, and the receiver the same request as without it', async () => {
    const { receiver, host } = await listen();
    const { port, asked, close } = await openTestProxy();
    closers.push(close);
    const proxy = egressProxy(`http://user:pass@127.0.0.1:${port}`, { http: 'forward' });
    const sender = new Sender({ timeoutMs: timeoutOf(), allow: parseAllowList(''), proxy });
    closers.push(() => sender.close());
    const sent = await sender.send({ ...plainRequest, url: `http://${host}/in?a=1#x` });
    expect(sent).toMatchObject({ outcome: ok, remoteAddress: null });
    expect(asked).toEqual([{ target: `http://${host}/in?a=1`, credentials: 'Basic dXNlcjpwYXNz' }]);
    expect(receiver.calls).toMatchObject([{ path: '/in?a=1', headers: { host } }]);
    expect(receiver.calls[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('opens tunnels for https', async () => {
    const certificate = makeCertificate({ name: 'receiver.example' });
    const { host } = await listen({ certificate });
    const { proxy, call } = await open('open', { http: 'forward', ca: certificate.cert });
    expect((await call(`https://${host}/`)).outcome).toEqual(ok);
    expect(targets(proxy)).toEqual([host]);
  });

  test.each([
    ['403 Forbidden', { type: 'response', status: 403 }],
    ['403 Forbidden\r\nX-Squid-Error: ERR_ACCESS_DENIED 0', { type: 'refused', code: 'PROXY_DENIED' }],
    ['503 Service Unavailable\r\nVia: 1.1 egress (squid/5.7)', { type: 'response', status: 503 }],
    ['503 Service Unavailable\r\nX-Squid-Error: ERR_CONNECT_FAIL 111', { type: 'connect', code: 'PROXY_503' }],
    ['502 Bad Gateway\r\nProxy-Status: egress; error=dns_error', { type: 'connect', code: 'PROXY_502' }],
    // The receiver's own responses, and what proxies before it say.
    ['407 Proxy Authentication Required\r\nVia: 1.1 egress (squid/5.7)', { type: 'response', status: 407 }],
    [
      '502 Bad Gateway\r\nProxy-Status: "a, b"; error=proxy_internal_error, egress; received-status=502',
      { type: 'response', status: 502 },
    ],
  ])('and answers with %j gives the outcome %j', async (answer, outcome) => {
    const { call, known } = await open(answer, { http: 'forward' });
    expect((await call('http://receiver.example/')).outcome).toEqual(outcome);
    expect(known.reason()).toBeNull();
  });

  test.each([
    ['407 Proxy Authentication Required', 'PROXY_407'],
    [
      '407 Proxy Authentication Required\r\nVia: 1.1 egress (squid/5.7)\r\nProxy-Authenticate: Basic realm="x"',
      'PROXY_407',
    ],
    ['503 Service Unavailable\r\nProxy-Status: egress; error=proxy_internal_error', 'PROXY_503'],
    ['503 Service Unavailable\r\nX-Squid-Error: ERR_ICAP_FAILURE 0', 'PROXY_503'],
  ])('and answers with %j has failed itself', async (answer, code) => {
    const { call, known } = await open(answer, { http: 'forward' });
    await expect(call('http://receiver.example/')).rejects.toMatchObject({ name: 'SendError', code });
    expect(known.reason()).toContain(code);
  });

  test.each([{ 'X-Squid-Error': 'ERR_ICAP_FAILURE 0' }, { 'Proxy-Status': 'x; error=proxy_internal_error' }])(
    'a receiver that answers with %j is soon not taken for the proxy, which serves others',
    async (headers: Record<string, string>) => {
      let nowMs = 0;
      const logged: unknown[] = [];
      const log = { warn: () => undefined, error: (...line: unknown[]) => void logged.push(line) };
      const [{ host }, odd] = await Promise.all([listen(), listen({ answer: { status: 503, headers } })]);
      const { call, known } = await open('open', { http: 'forward', log, now: () => nowMs });
      const callOdd = () => call(`http://odd.${odd.host}/`);
      const isFree = () => expect(callOdd()).rejects.toMatchObject({ code: 'PROXY_503' });
      await isFree();
      expect(known.reason()).toContain('PROXY_503');
      for (const atMs of [15_000, 280_000, 299_999]) {
        nowMs = atMs;
        expect((await call(`http://${host}/`)).outcome).toEqual(ok);
        await isFree();
        expect(known.reason()).toBeNull();
      }
      nowMs = 300_000;
      expect(await callOdd()).toMatchObject({ outcome: { type: 'connect', code: 'PROXY_503' }, responseHeaders: null });
      expect(known.reason()).toBeNull();
      expect(logged).toHaveLength(1);
    },
  );

  test('and works for nobody has failed itself for as long as that lasts, also when it fails again', async () => {
    let nowMs = 0;
    const { host } = await listen();
    const { call, known, proxy } = await open('open', { http: 'forward', now: () => nowMs });
    const works = async () => {
      nowMs++;
      proxy.behave('open');
      expect((await call(`http://${host}/`)).outcome).toEqual(ok);
      expect(known.reason()).toBeNull();
      proxy.behave('503 Service Unavailable\r\nX-Squid-Error: ERR_ICAP_FAILURE 0');
    };
    const fails = async (times: number) => {
      for (let failing = 0; failing < times; failing++) {
        nowMs += 15_000;
        await expect(call(`http://${host}/`)).rejects.toMatchObject({ code: 'PROXY_503' });
      }
      expect(known.reason()).toContain('PROXY_503');
    };
    await works();
    await fails(1);
    await fails(40);
    await works();
    await fails(5);
    await fails(40);
  });

  test('gets no forbidden address and no private name', async () => {
    const { proxy, call } = await open('open', { http: 'forward' });
    for (const url of [...literals, ...forms, ...privateNames]) {
      expect(await call(url)).toMatchObject({ outcome: { type: 'refused' } });
    }
    expect(targets(proxy)).toEqual([]);
  });
});

test('a proxy that works again is used again, and counts as ready', async () => {
  const { host } = await listen();
  const { call, known, proxy } = await open('407 Proxy Authentication Required');
  await expect(call(`http://${host}/`)).rejects.toMatchObject({ code: 'PROXY_407' });
  proxy.behave('open');
  expect((await call(`http://${host}/`)).outcome).toEqual(ok);
  expect(known.reason()).toBeNull();
});

test.each(['http', 'https'])(
  '%s through a proxy with an https:// address, whose certificate is verified',
  async (scheme) => {
    const certificate = makeCertificate({ name: 'localhost' });
    const { receiver, host } = await listen(
      scheme === 'https' ? { certificate: makeCertificate({ name: 'receiver.example' }) } : {},
    );
    const { port, close } = await openTestProxy('open', certificate);
    closers.push(close);
    const send = (ca?: string) => {
      const proxy = egressProxy(`https://localhost:${port}`, { http: 'forward', ca });
      const sender = new Sender({ timeoutMs: timeoutOf(), allow: parseAllowList(''), proxy });
      closers.push(() => sender.close());
      return sender.send({ ...plainRequest, url: `${scheme}://${host}/` });
    };
    await expect(send()).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
    const { outcome } = await send(certificate.cert);
    // The receiver's own certificate is verified end to end.
    expect(outcome).toMatchObject(scheme === 'http' ? ok : { type: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(receiver.calls).toHaveLength(scheme === 'http' ? 1 : 0);
  },
);

test('exceptions are reached without the proxy, and their addresses are checked', async () => {
  const { receiver, host } = await listen();
  const { proxy, call } = await open('open', {
    http: 'forward',
    isExcepted: parseProxyExceptions('receiver.example'),
    allow: parseAllowList('127.0.0.0/8'),
    resolve: async (name) => [{ address: name === 'receiver.example' ? '127.0.0.1' : '10.0.0.1', family: 4 }],
  });
  expect(await call(`http://${host}/`)).toMatchObject({ outcome: ok, remoteAddress: '127.0.0.1' });
  expect((await call(`http://inside.${host}/`)).outcome).toEqual({ type: 'refused', code: 'REFUSED_ADDRESS' });
  expect(receiver.calls).toHaveLength(1);
  expect(targets(proxy)).toEqual([]);
});

test.each([
  ['open', 'tunnel', true],
  ['open', 'forward', true],
  ['502 Bad Gateway', 'tunnel', true],
  ['403 Forbidden', 'tunnel', false],
  ['403 Forbidden', 'forward', false],
  ['503 Service Unavailable\r\nVia: 1.1 egress.example', 'tunnel', false],
  ['503 Service Unavailable\r\nX-Squid-Error: ERR_ICAP_FAILURE 0', 'forward', false],
] as const)('the probe of a proxy with the behaviour "%s" (%s) warns: %p', async (answer, http, warns) => {
  const warned: unknown[] = [];
  const { port, asked, close } = await openTestProxy(answer);
  closers.push(close);
  const log = { error: () => undefined, warn: (...line: unknown[]) => void warned.push(line) };
  await egressProxy(`http://127.0.0.1:${port}`, { http, log }).probe();
  expect(asked[0]?.target).toContain(`127.0.0.1:${port}`);
  expect(warned).toMatchObject(warns ? [['egress_proxy.open', { target: `127.0.0.1:${port}` }]] : []);
});

test.each([
  ['example.com', 'example.com', 443, true],
  ['example.com', 'a.example.com', 80, true],
  ['.example.com', 'a.example.com', 80, true],
  ['*.example.com', 'A.Example.com.', 80, true],
  ['example.com', 'notexample.com', 80, false],
  ['example.com:8080', 'example.com', 8080, true],
  ['example.com:8080', 'example.com', 80, false],
  ['10.1.0.0/16', '10.1.2.3', 80, true],
  ['10.1.0.0/16', '10.2.2.3', 80, false],
  ['10.1.2.3', '10.1.2.3', 80, true],
  ['2600::/16, x', '2600::1', 80, true],
  ['[2600::1]:81', '2600::1', 81, true],
  ['[2600::1]:81', '2600::1', 80, false],
  ['*', 'any.example', 80, true],
  ['', 'any.example', 80, false],
])('EGRESS_PROXY_EXCEPT=%s excepts %s at port %d: %p', (text, host, port, isExcepted) => {
  expect(parseProxyExceptions(text)(host, port)).toBe(isExcepted);
});

test.each(['http://example.com', 'a b', '10.0.0.0/33', 'example.com/path', 'example.com:99999', 'a..b', '[x]'])(
  'EGRESS_PROXY_EXCEPT does not take "%s", and the error names it',
  (text) => {
    expect(() => parseProxyExceptions(`good.example,${text}`)).toThrow(`has "${text}"`);
  },
);

test.each([
  ['http://proxy.example:3128', 'proxy.example', 3128],
  ['http://proxy.example/', 'proxy.example', 80],
  ['http://[::1]:3128', '::1', 3128],
  ['https://proxy.example', 'proxy.example', 443],
])('%s is a proxy', (url, host, port) => {
  expect(parseProxyUrl(url)).toEqual({ host, port, isTls: url.startsWith('https'), headers: {} });
});

test.each([
  'https://proxy.example/path',
  'socks5://proxy.example',
  'proxy.example:3128',
  'http://u:secret@x/path',
  'http://x/?a',
  'http://%zz@x',
  '',
])('"%s" is not a proxy, and the error repeats nothing of it', (url) => {
  expect(() => parseProxyUrl(url)).toThrow(/^must be the URL of a proxy, such as http:\/\/proxy.example:3128$/);
});
