import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  composeCallback,
  composeVerificationRequest,
  createNaming,
  defaultNaming,
  parseAllowList,
} from '@ringback/rules';
import { makeCertificate } from '@ringback/receiver';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openRawReceiver, rawResponse, type Respond } from './raw-receiver.fixture.js';
import { plainRequest, stubResolver } from './send-egress.fixture.js';
import { Sender } from './send.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const certificate = makeCertificate({ name: 'receiver.example' });

/** A raw receiver for `receiver.example`, and a sender that knows its address. */
async function open(respond: Respond, scheme: 'http' | 'https' = 'http') {
  const receiver = await openRawReceiver(respond, scheme === 'https' ? certificate : undefined);
  const sender = new Sender({
    timeoutMs: 20_000,
    allow: parseAllowList('127.0.0.0/8'),
    resolve: stubResolver({ '*': ['127.0.0.1'] }),
    ca: certificate.cert,
  });
  closers.push(
    () => sender.close(),
    () => receiver.close(),
  );
  return {
    port: receiver.port,
    opened: receiver.opened,
    send: (...args: Parameters<Sender['send']>) => sender.send(...args),
  };
}

/** A raw receiver that keeps the requests and responds with 200. */
async function openRecording(scheme: 'http' | 'https' = 'http') {
  const requests: string[] = [];
  const serverNames: unknown[] = [];
  const respond: Respond = (connection, _index, request) => {
    requests.push(request);
    if ('servername' in connection) serverNames.push(connection.servername);
    connection.write(rawResponse(200));
  };
  return { requests, serverNames, ...(await open(respond, scheme)) };
}

const input = {
  eventName: 'sms:message:status' as const,
  payload: '{"id":"m:1"}',
  accountId: 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  bodyTemplate: null,
  signing: true,
  signingSecrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
  bearer: 'token',
  startedAt: new Date('2026-11-27T02:00:00Z'),
  deliveryId: '0192f3c1-7a52-7e7c-9b7e-0c1d2e3f4a5b',
  eventId: '0192f3c1-7a50-7c11-8f3e-2b1a9d8c7e6f',
  receivedAt: new Date('2026-11-27T02:00:00Z'),
  attemptNumber: 1,
  naming: createNaming(defaultNaming, '1.2.3'),
};

describe('a request is sent as it is shown', () => {
  test('a callback: its headers with their names as documented, in their order', async () => {
    const { requests, port, send } = await openRecording();
    const callback = composeCallback({ ...input, uri: `http://127.0.0.1:${port}/in?a=1` });
    await send(callback);
    const shown = Object.entries(callback.headers).map(([name, value]) => `${name}: ${value}`);
    expect(shown.join()).toMatch(
      /Content-Type:.*Authorization:.*Signature:.*webhook-id:.*User-Agent:.*X-Ringback-Event:/,
    );
    const head = ['POST /in?a=1 HTTP/1.1', `Host: 127.0.0.1:${port}`, ...shown, 'Connection: keep-alive', '', ''];
    expect(requests).toEqual([head.join('\r\n') + input.payload]);
  });

  test('the request of a verification: the same', async () => {
    const { requests, port, send } = await openRecording();
    const uri = `http://127.0.0.1:${port}/in`;
    const request = composeVerificationRequest({
      ...{ ...input, uri, verificationCode: 'code', challenge: 'random', verificationId: input.deliveryId },
    });
    await send(request);
    const shown = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    expect(requests[0]?.split('\r\n').slice(2, -3)).toEqual(shown);
  });

  test.each([
    [`/a?x='y'`, `/a?x=%27y%27`],
    [`/it's`, `/it's`],
    ['/ü?ü=é', '/%C3%BC?%C3%BC=%C3%A9'],
    ['/a/../b', '/b'],
    ['/a//b/./c', '/a//b/c'],
    ['/a?', '/a?'],
    ['?', '/?'],
    ['', '/'],
    ['/%2e%2E/%41?%41=+', '/%41?%41=+'],
    ['/a#fragment', '/a'],
    ['/a?#', '/a?'],
  ])('the target %j as %j', async (rest, target) => {
    const { requests, port, send } = await openRecording();
    const origin = `http://127.0.0.1:${port}`;
    const callback = composeCallback({ ...input, uri: origin + rest });
    await send(callback);
    expect(callback.url).toBe(origin + target);
    expect(requests[0]?.split('\r\n')[0]).toBe(`POST ${target} HTTP/1.1`);
  });

  test.each([
    ['http', 'receiver.example.', 'receiver.example', []],
    ['https', 'receiver.example.', 'receiver.example', ['receiver.example']],
    ['https', 'receiver.example', 'receiver.example', ['receiver.example']],
    ['https', '127.0.0.1', '127.0.0.1', [false]],
  ] as const)('%s to the host %s: Host without a final dot is %s, and SNI %j', async (scheme, host, name, sni) => {
    const { requests, serverNames, port, send } = await openRecording(scheme);
    const { outcome } = await send({ ...plainRequest, url: `${scheme}://${host}:${port}/` });
    expect(outcome).toEqual({ type: 'response', status: 200 });
    expect(requests[0]?.split('\r\n')[1]).toBe(`Host: ${name}:${port}`);
    expect(serverNames).toEqual(sni);
  });
});

describe('the headers of a response', () => {
  const headers = (bytes: number) => `X-Large: ${'x'.repeat(bytes)}\r\n`;

  test('may have 64 KiB', async () => {
    const { port, send } = await open((connection) => connection.write(rawResponse(202, 'ok', headers(65_000))));
    const sent = await send({ ...plainRequest, url: `http://127.0.0.1:${port}/` });
    expect(sent).toMatchObject({ outcome: { type: 'response', status: 202 }, responseBody: 'ok' });
  });

  test.each([
    ['at once', [rawResponse(202, 'ok', headers(200_000))]],
    ['after an interim response', ['HTTP/1.1 103 Early Hints\r\n\r\n', rawResponse(202, 'ok', headers(200_000))]],
    ['together with one', [`HTTP/1.1 103 Early Hints\r\n\r\n${rawResponse(202, 'ok', headers(200_000))}`]],
    ['in pieces', ['HTT', 'P/1.1 2', '02 Accepted\r\n', headers(70_000)]],
    ['on a reused connection', [rawResponse(202, 'ok', headers(200_000))], 1],
  ])('may be larger, and the status counts: %s', async (_how, parts, earlierRequests = 0) => {
    const { port, send } = await open(async (connection, index) => {
      if (index < earlierRequests) return connection.write(rawResponse(200));
      for (const part of parts) await new Promise((resolve) => connection.write(part, resolve));
    });
    const request = { ...plainRequest, url: `http://127.0.0.1:${port}/` };
    for (let earlier = 0; earlier < earlierRequests; earlier++) await send(request);
    const sent = await send(request);
    expect(sent.outcome).toEqual({ type: 'response', status: 202 });
    expect([sent.responseBody, sent.responseHeaders]).toEqual([null, null]);
  });

  test('of an interim response may not be larger', async () => {
    const { port, send } = await open((connection) => connection.write(`HTTP/1.1 103 Hints\r\n${headers(70_000)}`));
    const { outcome } = await send({ ...plainRequest, url: `http://127.0.0.1:${port}/` });
    expect(outcome).toEqual({ type: 'protocol', code: 'HPE_HEADER_OVERFLOW' });
  });
});

describe('a response with headers that Node refuses', () => {
  const body = 'Content-Length: 2\r\n\r\nok';
  const noBody = { responseBody: null, responseHeaders: null };

  test.each([
    ['a folded line', [`HTTP/1.1 202 Accepted\r\nX-A: one\r\n two\r\n${body}`]],
    ['a folded length', ['HTTP/1.1 202 Accepted\r\nContent-Length:\r\n 2\r\n\r\nok']],
    ['bare line feeds', ['HTTP/1.1 202 Accepted\nContent-Length: 2\n\nok']],
    ['a bare line feed at the end', ['HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\nok']],
    ['bare line feeds after an interim response', ['HTTP/1.1 103 Hints\n\nHTTP/1.1 202 Accepted\nX: y\n\n']],
    ['its length twice', [`HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n${body}`]],
    ['its length twice, in pieces', ['HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\nContent-Length:', ' 2\r\n\r\nok']],
    ['its length twice in one line', ['HTTP/1.1 202 Accepted\r\nContent-Length: 2, 2\r\n\r\nok']],
    ['a control character', [`HTTP/1.1 202 Accepted\r\nX: a\x01b\r\n${body}`]],
  ])('counts by its status, and ends the connection: %s', async (_what, parts) => {
    const receiver = await open(async (connection, index) => {
      if (index > 0) return connection.write(rawResponse(200));
      for (const part of parts) await new Promise((resolve) => connection.write(part, resolve));
    });
    const request = { ...plainRequest, url: `http://127.0.0.1:${receiver.port}/` };
    expect(await receiver.send(request)).toMatchObject({ outcome: { type: 'response', status: 202 }, ...noBody });
    expect(await receiver.send(request)).toMatchObject({ outcome: { type: 'response', status: 200 } });
    expect(receiver.opened()).toBe(2);
  });

  test.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 2\r\n\r\nok'],
    ['two lengths in one line', 'Content-Length: 2, 3\r\n\r\nok'],
    ['two lengths, one of them folded', 'Content-Length: 2\r\nContent-Length:\r\n 3\r\n\r\nok'],
    ['two lengths and bare line feeds', 'Content-Length: 2\nContent-Length: 3\n\nok'],
    ['a length and chunks', 'Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nok'],
  ])('does not count when they contradict each other: %s', async (_what, rest) => {
    const { port, send } = await open((connection) => connection.write(`HTTP/1.1 200 OK\r\n${rest}`));
    const sent = await send({ ...plainRequest, url: `http://127.0.0.1:${port}/` });
    expect(sent).toMatchObject({ outcome: { type: 'protocol', code: expect.stringMatching(/^HPE_/) }, ...noBody });
  });
});

describe('what is kept of a response', () => {
  const respondWith = async (headers: string, body: Buffer | string, keepBytes?: number) => {
    const bytes = Buffer.from(body);
    const head = `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`;
    const { port, send } = await open((connection) => {
      connection.end(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
    });
    return send({ ...plainRequest, url: `http://127.0.0.1:${port}/` }, keepBytes);
  };

  test.each(['gzip', 'GZIP', 'x-gzip'])('is the text of a body in %s, up to what is kept', async (encoding) => {
    const text = `{"error":"größe"}${' '.repeat(3_000)}`;
    const { responseBody, responseHeaders } = await respondWith(`Content-Encoding: ${encoding}\r\n`, gzipSync(text));
    expect(responseBody).toBe(Buffer.from(text).subarray(0, 1_024).toString());
    expect(responseHeaders).toMatchObject({ 'content-encoding': encoding });
  });

  const gzip = gzipSync('{"error":"no"}');
  test.each([
    ['is not whole', gzip.subarray(0, -9)],
    ['is no gzip', Buffer.from('plain text')],
    ['unpacks to more than 64 KiB', gzipSync(Buffer.alloc(64 * 1_024 + 1))],
    ['has more than 8 KiB', gzipSync(randomBytes(9_000))],
  ])('is a body in gzip as it came when it %s', async (_what, body) => {
    const { responseBody } = await respondWith('Content-Encoding: gzip\r\n', body);
    expect(responseBody).toBe(body.subarray(0, 1_024).toString().replaceAll('\0', '\ufffd'));
  });

  test('is a body in gzip as it came when no header says so', async () => {
    expect((await respondWith('', gzip)).responseBody).toBe(gzip.toString().replaceAll('\0', '\ufffd'));
  });

  test('are headers as UTF-8 when their bytes are, else as Latin-1', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    const lines = [`X-Utf8: ${bytes('größe 数 😀')}`, 'X-Latin1: gr\xf6\xdfe', `Set-Cookie: a=${bytes('é')}`];
    const { responseHeaders } = await respondWith([...lines, 'Set-Cookie: b=\xe9', ''].join('\r\n'), 'ok');
    expect(responseHeaders).toMatchObject({ 'x-utf8': 'größe 数 😀', 'x-latin1': 'größe', 'set-cookie': 'a=é, b=é' });
  });

  test('are headers without half a character at their end', async () => {
    const emoji = Buffer.from('😀'.repeat(1_500)).toString('latin1');
    const values = await Promise.all(
      ['x-a', 'x-ab'].map(async (name) => (await respondWith(`${name}: ${emoji}\r\n`, 'ok')).responseHeaders?.[name]),
    );
    expect(values.map((value) => [value?.length, value?.isWellFormed()])).toEqual([
      [2_045, true],
      [2_044, true],
    ]);
  });
});
