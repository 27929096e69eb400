import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeCertificate } from '@ringback/receiver';
import { startReceiver, type Receiver } from './receiver.js';

describe('the receiver of the benchmark', () => {
  let receiver: Receiver;
  const post = (path: string, id: string, attempt = 1) =>
    fetch(`${receiver.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-ringback-attempt': String(attempt) },
      body: JSON.stringify({ id, text: 'ünïcode' }),
    });

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  test('records each message with its path, without the query, in order of arrival', async () => {
    for (const [path, id] of [
      ['/a/1?x=1', 'one'],
      ['/a/2', 'two'],
      ['/b/1', 'one'],
    ] as const)
      expect((await post(path, id)).status).toBe(200);
    const { keys, times } = await receiver.report();
    expect(keys).toEqual(['/a/1 one', '/a/2 two', '/b/1 one']);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(await receiver.count()).toMatchObject({ arrived: { a: 2, b: 1 }, calls: 3 });
  });

  test('fails first attempts if it is set to, and does not count them as arrived', async () => {
    receiver.behave({ fail: 'first' });
    expect((await post('/a/1', 'one', 1)).status).toBe(500);
    expect((await post('/a/1', 'one', 2)).status).toBe(200);
    expect(await receiver.count()).toMatchObject({ arrived: { a: 1 }, calls: 2 });
  });

  test('fails at the paths that are set to fail, and records no arrival there', async () => {
    receiver.behave({ hang: ['/a/hang'], reset: ['/a/reset'], drip: ['/a/drip'] });
    await expect(post('/a/reset', 'one')).rejects.toThrow('fetch failed');
    for (const path of ['/a/hang', '/a/drip']) {
      const call = fetch(`${receiver.origin}${path}`, { method: 'POST', body: '{}', signal: AbortSignal.timeout(700) });
      await expect(call).rejects.toThrow('aborted due to timeout');
    }
    expect((await post('/a/healthy', 'two')).status).toBe(200);
    expect((await receiver.report()).keys).toEqual(['/a/healthy two']);
    receiver.behave({});
    expect((await post('/a/hang', 'three')).status).toBe(200);
  });

  test('accepts requests that arrive in pieces or several at once', async () => {
    const request = (id: string) => `POST /a/1 HTTP/1.1\r\nContent-Length: ${id.length + 9}\r\n\r\n{"id":"${id}"}`;
    const { port } = new URL(receiver.origin);
    const socket = connect(Number(port), '127.0.0.1').setNoDelay(true);
    const [head, tail] = [request('one').slice(0, 30), request('one').slice(30)];
    await new Promise((resolve) => socket.write(head, resolve));
    expect(await receiver.count()).toMatchObject({ calls: 0 });
    socket.write(`${tail}${request('two')}${request('three')}`);
    while ((await receiver.count()).calls < 3);
    expect((await receiver.report()).keys).toEqual(['/a/1 one', '/a/1 two', '/a/1 three']);
    socket.destroy();
  });
});

describe('over TLS, on ports that close each connection,', () => {
  const certificate = makeCertificate();

  /** Sends one request to each origin in turn. A connection to an origin resumes the session of the one before. */
  async function callAll(receiver: Receiver, rounds: number): Promise<void> {
    const sessions = new Map<string, Buffer>();
    for (const origin of Array.from({ length: rounds }, () => receiver.origins).flat()) {
      const session = sessions.get(origin);
      const port = Number(new URL(origin).port);
      const socket: TLSSocket = connectTls({
        host: '127.0.0.1',
        port,
        ca: certificate.cert,
        ...(session && { session }),
      });
      socket.on('session', (ticket: Buffer) => sessions.set(origin, ticket));
      socket.end('POST /a/1 HTTP/1.1\r\nContent-Length: 12\r\n\r\n{"id":"one"}');
      await once(socket.resume(), 'close');
    }
  }

  test.each([
    [true, 2],
    [false, 0],
  ])('the receiver counts connections and resumed sessions; sessions can be resumed: %s', async (resumes, resumed) => {
    const receiver = await startReceiver({ certificate, closes: true, ports: 2, resumes });
    try {
      expect(receiver.origins.map((origin) => new URL(origin).protocol)).toEqual(['https:', 'https:']);
      await callAll(receiver, 2);
      expect(await receiver.count()).toMatchObject({ calls: 4, connections: 4, resumed });
    } finally {
      receiver.close();
    }
  });
});
