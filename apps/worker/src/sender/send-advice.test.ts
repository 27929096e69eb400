import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { adviceFor, parseAllowList } from '@ringback/rules';
import { makeCertificate } from '@ringback/receiver';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import { Sender } from './send.js';
import { egressProxy, openTestProxy } from './egress-proxy.fixture.js';
import { plainRequest, stubResolver } from './send-egress.fixture.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** Stands for a connection whose packets are dropped. */
class PendingSocket extends Socket {
  override readonly connecting = true;
}

const name = 'receiver.example';
const resolve = stubResolver({ [name]: ['127.0.0.1'] });

/** Sends a request; returns its code and advice, in which `PORT` stands for the port. */
async function attempt(port: number, settings: Partial<AgentSettings> = {}, scheme = 'https') {
  const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8'), resolve, ...settings });
  closers.push(() => sender.close());
  const url = `${scheme}://${name}:${port}/`;
  const { outcome, responseHeaders } = await sender.send({ ...plainRequest, url });
  const advice = adviceFor({ purpose: 'sms', outcome, url, responseHeaders, at: new Date() });
  const type = outcome.type === 'response' ? outcome.status : `${outcome.type} ${outcome.code}`;
  return { type, advice: advice?.replace(`:${port}`, ':PORT') };
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => connections.add(socket.on('error', () => {})));
  closers.push(() => {
    server.close();
    for (const socket of connections) socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A TCP server that writes these bytes when the first ones arrive, or never. */
const listenRaw = (bytes?: string | Buffer) =>
  listen(createServer((socket) => socket.once('data', () => bytes !== undefined && socket.write(bytes))));
const listenTls = (options: TlsOptions) => listen(createTlsServer(options).on('tlsClientError', () => {}));

/** A TLS record with an alert, before any handshake. */
const alert = (number: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, number]);
/** The hello of a TLS 1.2 server without extensions, so also without secure renegotiation. */
const helloWithoutExtensions = Buffer.concat([
  Buffer.from([0x16, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3]),
  Buffer.alloc(32, 7),
  Buffer.from([0, 0xc0, 0x2f, 0, 0, 0]),
]);

describe('a timeout names its phase', () => {
  const timeoutMs = 1_000;
  test('a name server, a network, a TLS server and an application that do not answer have four codes', async () => {
    const silent = await listenRaw();
    const attempts = await Promise.all([
      attempt(silent, { timeoutMs, resolve: () => new Promise(() => {}) }),
      attempt(silent, { timeoutMs, dial: () => new PendingSocket() }),
      attempt(silent, { timeoutMs }),
      attempt(silent, { timeoutMs }, 'http'),
    ]);
    expect(attempts.map(({ type }) => type)).toEqual([
      'timeout DNS_TIMEOUT',
      'timeout CONNECT_TIMEOUT',
      'timeout TLS_TIMEOUT',
      'timeout RESPONSE_TIMEOUT',
    ]);
    expect(new Set(attempts.map(({ advice }) => advice)).size).toBe(4);
  });
});

describe('a failure of TLS has the reason of OpenSSL', () => {
  const old = {
    ...makeCertificate({ name }),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
  } as const;
  test.each([
    [
      'a server of TLS 1.0',
      () => listenTls(old),
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      /supports only outdated versions of TLS/,
    ],
    [
      'a server of plain http',
      () => listenRaw('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'ERR_SSL_WRONG_VERSION_NUMBER',
      /PORT does not speak TLS/,
    ],
    [
      'a server without secure renegotiation',
      () => listenRaw(helloWithoutExtensions),
      'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED',
      /lacks secure renegotiation/,
    ],
    [
      'a server that wants a client certificate',
      () => listenRaw(alert(116)),
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      /wants a client certificate/,
    ],
    [
      'a server that refuses the handshake',
      () => listenRaw(alert(40)),
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      /refused the TLS handshake/,
    ],
    [
      'a server that does not know the name',
      () => listenRaw(alert(112)),
      'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
      /has no certificate for this name/,
    ],
  ])('%s', async (_server, start, code, advice) => {
    expect(await attempt(await start())).toEqual({ type: `tls ${code}`, advice: expect.stringMatching(advice) });
  });
});

test.each([
  ['https', /closed the connection during the TLS handshake/],
  ['http', /closed the connection before it responded/],
])('a server that ends the connection of an %s request without a word', async (scheme, advice) => {
  const port = await listen(createServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
  expect(await attempt(port, {}, scheme)).toEqual({ type: 'reset ECONNRESET', advice: expect.stringMatching(advice) });
});

test('a receiver that does not respond to a proxy may not have got the request', async () => {
  const proxy = await openTestProxy();
  closers.push(() => proxy.close());
  const forwarder = egressProxy(`http://127.0.0.1:${proxy.port}`, { http: 'forward' });
  const { type, advice } = await attempt(await listenRaw(), { timeoutMs: 1_000, proxy: forwarder }, 'http');
  expect([type, advice]).toEqual([
    'timeout RESPONSE_TIMEOUT',
    expect.stringMatching(/^The proxy of this service got no/),
  ]);
});

describe('a refused certificate is described', () => {
  const authority = makeCertificate({ name: 'Acme Root CA' });
  const issuer = { ...authority, name: 'Acme Root CA' };
  const leafOf = ({ key, cert }: { key: string; cert: string }) => ({ key, cert: cert.replace(authority.cert, '') });
  const day = (time: number) =>
    new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

  test('an expired one with its date', async () => {
    const certificate = makeCertificate({ name, days: -5 });
    const { type, advice } = await attempt(await listenTls(certificate), { ca: certificate.cert });
    expect(type).toBe('tls CERT_HAS_EXPIRED');
    expect(advice).toBe(`The certificate of ${name} expired on ${day(Date.now() - 5 * 86_400_000)}. Renew it.`);
  });

  test('one for another name with its names', async () => {
    const certificate = makeCertificate({ name: 'other.example' });
    const { type, advice } = await attempt(await listenTls(certificate), { ca: certificate.cert });
    expect(type).toBe('tls ERR_TLS_CERT_ALTNAME_INVALID');
    expect(advice).toMatch(/^The certificate that receiver.example sends is for other.example, 127.0.0.1, not for/);
  });

  test('a self-signed one', async () => {
    const { type, advice } = await attempt(await listenTls(makeCertificate({ name })));
    expect(type).toBe('tls DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(advice).toMatch(/is self-signed/);
  });

  test.each([
    [
      'with its chain',
      makeCertificate({ name, issuer }),
      'SELF_SIGNED_CERT_IN_CHAIN',
      'from a private authority ("Acme Root CA")',
    ],
    [
      'without it',
      leafOf(makeCertificate({ name, issuer })),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'cannot be traced to a public certificate authority ("Acme Root CA")',
    ],
  ])('one of a private authority, sent %s, is not called self-signed', async (_chain, certificate, code, text) => {
    const { type, advice } = await attempt(await listenTls(certificate));
    expect(type).toBe(`tls ${code}`);
    expect(advice).toContain(text);
    expect(advice).not.toContain('self-signed');
  });
});
