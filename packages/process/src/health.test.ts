import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { type HealthDeps, createHealthServer, limitShare } from './health.js';

let server: ReturnType<typeof createHealthServer>;
afterEach(() => void server.close());

const unavailable = () => Promise.reject(new Error('unavailable'));

/** Starts a server, and returns the status and body of its response. */
async function get(path: string, deps: Partial<HealthDeps>): Promise<[number, unknown]> {
  const readMetrics = () => Promise.resolve({ type: 'text/plain', text: 'x 1\n' });
  server = createHealthServer({
    check: () => Promise.resolve(),
    notReadyReason: () => null,
    readMetrics,
    ...deps,
  }).listen(0);
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const text = await response.text();
  return [response.status, text.startsWith('{') ? JSON.parse(text) : text];
}

const responseOf = (code: number, status: string) => [code, { status, code }];

test('while PostgreSQL or the queue engine is unavailable, the process is healthy and not ready', async () => {
  expect(await get('/healthz', { check: unavailable })).toEqual(responseOf(200, 'OK'));
  expect(await get('/readyz', { check: unavailable })).toEqual(responseOf(503, 'ServiceUnavailable'));
});

test('a check that never settles makes the process not ready', async () => {
  expect(await get('/readyz', { check: () => new Promise(() => {}) })).toEqual(responseOf(503, 'ServiceUnavailable'));
});

test('a query string changes nothing', async () => {
  expect(await get('/readyz?verbose', {})).toEqual(responseOf(200, 'OK'));
  expect(await get('/metrics?x', {})).toEqual([200, 'x 1\n']);
});

test('while metrics cannot be read, /metrics responds with 503', async () => {
  expect(await get('/metrics', { readMetrics: unavailable })).toEqual(responseOf(503, 'ServiceUnavailable'));
});

test('a request whose headers do not end gets a 408', async () => {
  server = createHealthServer({ check: unavailable, notReadyReason: () => null, readMetrics: unavailable }).listen(0);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port);
  const received: string[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk.toString()));
  socket.write('GET /healthz HTTP/1.1\r\nHost: worker\r\n');
  const timer = setInterval(() => socket.writable && socket.write('X-More: 1\r\n'), 200);
  await once(socket, 'close');
  clearInterval(timer);
  expect(received.join('')).toMatch(/^HTTP\/1\.1 408 /);
});

test('a stalled event queue makes the process not ready, with the reason', async () => {
  const answer = await get('/readyz', { notReadyReason: () => 'sms-events is stalled' });
  expect(answer).toEqual([503, { status: 'ServiceUnavailable', code: 503, message: 'sms-events is stalled' }]);
});

test('an expensive measurement runs for at most 1 % of the time, and after failures once in 30 s', async () => {
  const clock = { ms: 0 };
  let runs = 0;
  let tookMs = 130;
  let fails = false;
  const measure = limitShare(
    () => {
      clock.ms += tookMs;
      return fails ? Promise.reject(new Error('unavailable')) : Promise.resolve(++runs);
    },
    () => clock.ms,
  );
  const at = (ms: number) => {
    clock.ms = Math.max(clock.ms, ms);
    return measure().catch(() => 'failed');
  };
  expect([await at(0), await at(1_000), await at(13_129), await at(13_130)]).toEqual([1, 1, 1, 2]);
  [fails, tookMs] = [true, 2_000];
  expect([await at(30_000), await at(61_999)]).toEqual(['failed', 'failed']);
  fails = false;
  expect([await at(61_999), await at(62_000)]).toEqual(['failed', 3]);
});
