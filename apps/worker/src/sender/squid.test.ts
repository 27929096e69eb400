import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowList } from '@ringback/rules';
import { makeCertificate, type Receiver, startReceiver } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { egressProxy } from './egress-proxy.fixture.js';
import type { EgressProxy } from './egress-proxy.js';
import { plainRequest } from './send-egress.fixture.js';
import { Sender } from './send.js';

// Debian's squid with its own rules: CONNECT only to port 443.
const program = '/usr/sbin/squid';
const names = ['receiver.example', 'odd.example', 'denied.example', 'gone.example'];
const folder = mkdtempSync(join(tmpdir(), 'ringback-squid-'));
const warned: unknown[] = [];
const log = { error: () => undefined, warn: (...line: unknown[]) => void warned.push(line) };

const portOf = (server: net.Server) => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

(existsSync(program) ? describe : describe.skip)('through squid', () => {
  let squid: ChildProcess;
  let port: number;
  let receiver: Receiver;
  let secure: Receiver;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    chmodSync(folder, 0o777);
    [port, receiver, secure] = await Promise.all([
      freePort(),
      startReceiver(),
      startReceiver({ certificate: makeCertificate({ name: 'receiver.example' }) }),
    ]);
    writeFileSync(join(folder, 'hosts'), names.map((name) => `127.0.0.1 ${name}\n`).join(''));
    writeFileSync(
      join(folder, 'squid.conf'),
      `http_port 127.0.0.1:${port}
hosts_file ${folder}/hosts
acl SSL_ports port 443 ${new URL(secure.origin).port}
acl CONNECT method CONNECT
http_access deny CONNECT !SSL_ports
acl denied dstdomain denied.example
http_access deny denied
http_access allow all
pid_filename ${folder}/squid.pid
cache_log ${folder}/cache.log
access_log none
cache deny all
cache_mem 8 MB
shutdown_lifetime 0 seconds
`,
    );
    squid = spawn(program, ['-N', '-f', join(folder, 'squid.conf')], { stdio: 'ignore' });
    await until(() => accepts(port), 'squid accepts connections');
  });
  afterAll(async () => {
    squid.kill('SIGKILL');
    await Promise.all([...closers, receiver.close, secure.close].map((close) => close()));
    rmSync(folder, { recursive: true, force: true });
  });

  function open(http: 'forward' | 'tunnel'): { proxy: EgressProxy; call(url: string): Promise<unknown> } {
    const proxy = egressProxy(`http://127.0.0.1:${port}`, { http, log });
    const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList(''), proxy });
    closers.push(() => sender.close());
    const call = (url: string) => sender.send({ ...plainRequest, url }).then(({ outcome }) => outcome);
    return { proxy, call };
  }
  const at = (name: string, server: Receiver) => `http://${name}:${new URL(server.origin).port}/`;

  test('http receivers at any port get their callbacks, and https receivers through a tunnel', async () => {
    const { call, proxy } = open('forward');
    expect(await call(at('receiver.example', receiver))).toEqual({ type: 'response', status: 200 });
    const https = at('receiver.example', secure).replace('http:', 'https:');
    expect(await call(https)).toMatchObject({ type: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(proxy.reason()).toBeNull();
  });

  test('with EGRESS_PROXY_HTTP=tunnel, http receivers are denied', async () => {
    const { call, proxy } = open('tunnel');
    expect(await call(at('receiver.example', receiver))).toEqual({ type: 'refused', code: 'PROXY_DENIED' });
    expect(proxy.reason()).toBeNull();
  });

  test('what its rules deny is refused', async () => {
    const { call } = open('forward');
    expect(await call(at('denied.example', receiver))).toEqual({ type: 'refused', code: 'PROXY_DENIED' });
    expect(await call('https://denied.example/')).toEqual({ type: 'refused', code: 'PROXY_DENIED' });
  });

  test('the receiver’s own 503 and 407, and a receiver that is gone, are the receiver’s failures', async () => {
    const { call, proxy } = open('forward');
    for (const status of [503, 407]) {
      receiver.answerWith({ status, headers: { 'Proxy-Authenticate': 'Basic realm="receiver"' } });
      expect(await call(at('receiver.example', receiver))).toEqual({ type: 'response', status });
    }
    const goneAt = await freePort();
    expect(await call(`http://gone.example:${goneAt}/`)).toEqual({ type: 'connect', code: 'PROXY_503' });
    expect(await call('https://gone.example/')).toEqual({ type: 'connect', code: 'PROXY_503' });
    expect(proxy.reason()).toBeNull();
  });

  test('a receiver that answers like a failing squid does not make the proxy unusable', async () => {
    const { call, proxy } = open('forward');
    const callOdd = () => expect(call(at('odd.example', receiver))).rejects.toMatchObject({ code: 'PROXY_503' });
    receiver.answerWith(({ headers: { host = '' } }) =>
      host.startsWith('odd.') ? { status: 503, headers: { 'X-Squid-Error': 'ERR_ICAP_FAILURE 0' } } : { status: 200 },
    );
    await callOdd();
    expect(proxy.reason()).toContain('PROXY_503');
    for (let calls = 0; calls < 2; calls++) {
      expect(await call(at('receiver.example', receiver))).toEqual({ type: 'response', status: 200 });
      await callOdd();
      expect(proxy.reason()).toBeNull();
    }
  });

  test('the probe warns that it lets callbacks into its own network', async () => {
    await open('forward').proxy.probe();
    expect(warned).toMatchObject([['egress_proxy.open', { target: `127.0.0.1:${port}` }]]);
  });
});
