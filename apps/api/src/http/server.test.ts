import { once } from 'node:events';
import type http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { startApi } from '../api.fixture.js';
import { ApiServer } from './server.js';

const openServers: ApiServer[] = [];
afterEach(() => {
  for (const server of openServers.splice(0)) server.close().closeAllConnections();
});

type Options = Partial<ConstructorParameters<typeof ApiServer>[0]>;

async function start(options: Options, onRequest: http.RequestListener): Promise<ApiServer> {
  const server = new ApiServer({ keepAliveMs: 60_000, ...options }).on('request', onRequest);
  openServers.push(server);
  await once(server.listen(0), 'listening');
  return server;
}

const portOf = (server: ApiServer) => (server.address() as AddressInfo).port;
const listen = async (options: Options, onRequest: http.RequestListener) => portOf(await start(options, onRequest));

/** Writes texts to a new connection. Resolves with all that came back after the server has closed the connection. */
async function exchange(port: number, ...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return received;
}

function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  return { line, headers, body: JSON.parse(body) };
}

const neverAnswers: http.RequestListener = () => undefined;

describe('a request that Node refuses before the app', () => {
  test.each([
    ['garbage', 'rubbish\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'],
    ['a header with a control character', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a chunk without a size', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s is a 400 in the error format', async (_mistake, sent) => {
    const { line, headers, body } = read(await exchange(await listen({}, neverAnswers), sent));
    expect(line).toBe('HTTP/1.1 400 Bad Request');
    expect(headers).toContain('Connection: close');
    expect(headers).toContain('Cache-Control: no-store');
    expect(headers).toContain('Content-Type: application/json; charset=utf-8');
    expect(body).toEqual({ status: 'BadRequest', code: 400, message: 'The request is not valid HTTP.' });
  });

  test('with too large headers is a 431', async () => {
    const sent = `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`;
    const { line, body } = read(await exchange(await listen({}, neverAnswers), sent));
    expect(line).toBe('HTTP/1.1 431 Request Header Fields Too Large');
    expect(body).toEqual({ status: 'BadRequest', code: 431, message: 'The headers of the request are too large.' });
  });

  test.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx'],
  ])(
    '%s that do not arrive in time are a 408',
    async (_part, sent) => {
      const options = { headersTimeout: 50, bodyTimeoutMs: 50 };
      const { line, body } = read(await exchange(await listen(options, neverAnswers), sent));
      expect(line).toBe('HTTP/1.1 408 Request Timeout');
      expect(body).toEqual({ status: 'BadRequest', code: 408, message: 'The request took too long to arrive.' });
      // By default Node checks for such requests every 30 s.
    },
    20_000,
  );

  test('a body that the server itself takes long to process is not cut off, unlike one that is slow to arrive', async () => {
    const refused: string[] = [];
    const port = await listen({ bodyTimeoutMs: 2_500 }, async (request, response) => {
      if (request.url === '/slow') return;
      await until(() => refused.length > 0);
      let length = 0;
      for await (const part of request) length += (part as Buffer).length;
      response.setHeader('Connection', 'close').end(JSON.stringify({ length }));
    });
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`;
    const processed = exchange(port, post('/'), 'x'.repeat(1_000_000));
    refused.push(read(await exchange(port, post('/slow'), 'x')).line);
    expect(refused).toEqual(['HTTP/1.1 408 Request Timeout']);
    expect(read(await processed).body).toEqual({ length: 1_000_000 });
  }, 20_000);

  test('after a valid request on the same connection gets its response after that one', async () => {
    const port = await listen({}, (_request, response) => void response.end('fine'));
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'rubbish\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('in the middle of a response ends the connection without a second response', async () => {
    const port = await listen({}, (_request, response) => void response.write('half'));
    const answer = await exchange(port, 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', 'zz\r\n');
    expect(answer.match(/HTTP\/1\.1/g) ?? []).toHaveLength(answer === '' ? 0 : 1);
  });
});

const getRequest = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const fine: http.RequestListener = (_request, response) => void response.end('fine');

/** A client that reads to the end and closes its own side only when it is told to. */
async function open(server: ApiServer) {
  const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  const waiting = new Map<string, () => void>();
  socket.on('data', (data) => {
    received += data.toString();
    for (const [text, done] of waiting) if (received.includes(text)) done();
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    /** Resolves when a text has arrived. */
    until: (text: string) =>
      new Promise<void>((resolve) => {
        waiting.set(text, resolve);
        if (received.includes(text)) resolve();
      }),
  };
}

const ended = (socket: Socket) => (socket.readableEnded ? undefined : once(socket, 'end'));

describe('a connection', () => {
  test('whose client ends its side after a POST gets the response', async () => {
    const server = await start({}, async (request, response) => {
      request.resume();
      await once(request.socket, 'end');
      response.end('stored');
    });
    const { socket, received } = await open(server);
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody');
    await ended(socket);
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*stored/);
  });

  test('that is idle announces its end, and then gets a 408 which also answers a request on its way', async () => {
    let requestCount = 0;
    const server = await start({ keepAliveMs: 1_000 }, (request, response) => {
      requestCount++;
      fine(request, response);
    });
    const connected = once(server, 'connection');
    const { socket, received, until } = await open(server);
    socket.write(getRequest);
    await until('fine');
    expect(received()).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=1\r\n/);
    await ended(socket);
    socket.write(getRequest);
    await once((await connected)[0], 'close');
    socket.destroy();
    const [, refusal = ''] = received().split('fine');
    const { line, headers, body } = read(refusal.slice(refusal.indexOf('HTTP/')));
    expect(line).toBe('HTTP/1.1 408 Request Timeout');
    expect(headers).toContain('Connection: close');
    const message = 'The connection was idle for too long. The request was not processed; send it again.';
    expect(body).toEqual({ status: 'BadRequest', code: 408, message });
    expect(requestCount).toBe(1);
  });

  test('that was idle for longer than headers may take is used again', async () => {
    const server = await start({ headersTimeout: 50, connectionsCheckingInterval: 10 }, fine);
    const { socket, received, until } = await open(server);
    socket.write(getRequest);
    await until('fine');
    const slow = await open(server);
    slow.socket.write('GET / HTTP/1.1\r\n');
    await slow.until('408 Request Timeout');
    socket.end(getRequest);
    await ended(socket);
    expect(received().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });
});

describe('a server that stops', () => {
  test('announces the end in every response, and answers what is under way or arriving', async () => {
    const pending: (() => void)[] = [];
    const server = await start({}, (request, response) => {
      if (request.url === '/begun') response.write('begun ');
      pending.push(() => response.end('fine'));
      if (request.url === '/') pending.pop()?.();
    });
    const [idle, waiting, begun, arriving] = [
      await open(server),
      await open(server),
      await open(server),
      await open(server),
    ];
    idle.socket.write(getRequest);
    await idle.until('fine');
    waiting.socket.write('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
    begun.socket.write('GET /begun HTTP/1.1\r\nHost: x\r\n\r\n');
    arriving.socket.write('GET / HTTP/1.1\r\n');
    await begun.until('begun');
    while (pending.length < 2) await once(server, 'request');
    const stopped = server.stop();
    await ended(idle.socket);
    arriving.socket.write('Host: x\r\n\r\n');
    for (const respond of pending) respond();
    await Promise.all([waiting, begun, arriving].map(({ socket }) => ended(socket)));
    for (const { socket } of [idle, waiting, begun, arriving]) socket.destroy();
    await stopped;
    expect(idle.received()).toMatch(/HTTP\/1\.1 408 [^]*Connection: close/);
    for (const { received } of [waiting, arriving])
      expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*fine/);
    // Its headers had been sent.
    expect(begun.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*begun [^]*fine/);
  });
});

describe('the app behind the server', () => {
  const calls = [
    [
      'a request without a Host header',
      'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'The Host header is missing.',
    ],
    [
      'a request with two Host headers',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n',
      400,
      'There is more than one Host header.',
    ],
    [
      'a request of HTTP/1.0 with two Host headers',
      'GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n',
      400,
      'There is more than one Host header.',
    ],
    ['a request of HTTP/1.0 without a Host header', 'GET /healthz HTTP/1.0\r\n\r\n', 200, 'OK'],
    [
      'a request with an unknown expectation',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      200,
      'OK',
    ],
    [
      'a request for an absolute url',
      'GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      200,
      'OK',
    ],
    ['a request for an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'Not Found.'],
    ['a request for two slashes', 'GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'Not Found.'],
  ] as const;

  test.each(calls)('answers %s with JSON', async (_request, sent, code, message) => {
    const api = await startApi();
    const answer = await exchange(api.port, sent);
    const [, body = ''] = answer.split('\r\n\r\n');
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(JSON.parse(body.slice(body.indexOf('{')))).toMatchObject({ code, message });
    await api.close();
  });

  test('forbids caching of every response', async () => {
    const api = await startApi();
    const { get, post } = await api.makeAccount();
    const platform = await api.makePlatform();
    const answers = [
      ...[await get('/developer/webhooks'), await get('/developer/webhooks/x'), await post('/developer/webhooks', '{')],
      ...[await platform.post('/events', {}), await api.raw.post('/api/v2/events'), await api.raw.options('/docs')],
    ];
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/api/v2/openapi.json', '/nothing', '/%zz'])
      answers.push(await api.raw.get(path));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 204, 400, 401, 404, 422]));
    for (const { headers } of answers) expect(headers['cache-control']).toBe('no-store');
    await api.close();
  });

  test('refuses a callback of Ringback at every path', async () => {
    const api = await startApi();
    const { token } = await api.makeAccount();
    const { token: platformToken } = await api.makePlatform();
    const message = 'This is a callback of Ringback. Its webhook must not point back at Ringback.';
    for (const path of ['/developer/webhooks', '/events', '/developer/nothing']) {
      for (const bearer of [token, platformToken, 'none']) {
        const call = api.raw.post(`/api/v2${path}`).set('Authorization', `Bearer ${bearer}`);
        const { status, body } = await call.set('X-Ringback-Delivery', 'x').send({ name: 'x' });
        expect([status, body]).toEqual([508, { status: 'LoopDetected', code: 508, message }]);
      }
    }
    expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]);
    await api.close();
  });
});
