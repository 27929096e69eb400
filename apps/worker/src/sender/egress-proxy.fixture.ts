import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseProxyUrl } from '@ringback/process';
import type { Certificate } from '@ringback/receiver';
import { EgressProxy, type EgressProxyOptions } from './egress-proxy.js';

export type TestProxy = {
  port: number;
  /** The target and the credentials of each request, in order. */
  asked: { target: string; credentials: string | undefined }[];
  /** Changes the behaviour. */
  behave(next: string): void;
  close(): void;
};

const silent = { warn: () => undefined, error: () => undefined };

/** A proxy as the worker knows it. */
export function egressProxy(url: string, options: Partial<EgressProxyOptions> = {}): EgressProxy {
  const defaults = { http: 'tunnel', isExcepted: () => false, timeoutMs: 10_000, log: silent } as const;
  return new EgressProxy({ url: parseProxyUrl(url), ...defaults, ...options });
}

/**
 * A real CONNECT proxy on loopback that resolves every name to 127.0.0.1. With another `behaviour` than `open`, it
 * opens no tunnel: it closes the connection (`close`), never responds (`hang`), or responds with this status, such as
 * `403 Forbidden`, and headers after it. It forwards requests in absolute-form too.
 */
export async function openTestProxy(atFirst = 'open', certificate?: Certificate): Promise<TestProxy> {
  let behaviour = atFirst;
  const behave = (next: string) => void (behaviour = next);
  const asked: TestProxy['asked'] = [];
  const sockets = new Set<Duplex>();
  const server = certificate ? https.createServer(certificate) : http.createServer();
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { url = '', method, headers } = request;
    asked.push({ target: url, credentials: headers['proxy-authorization'] });
    if (behaviour === 'hang') return;
    if (behaviour === 'close') return request.socket.destroy();
    if (behaviour !== 'open') return request.socket.end(`HTTP/1.1 ${behaviour}\r\nContent-Length: 0\r\n\r\n`);
    if (!url.startsWith('http')) return response.writeHead(400).end();
    const { port, pathname, search } = new URL(url);
    const { 'proxy-authorization': _credentials, ...sent } = headers;
    const forwarded = http.request({ host: '127.0.0.1', port, path: pathname + search, method, headers: sent });
    forwarded.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers)));
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }: http.IncomingMessage, client: Duplex) => {
    asked.push({ target: url, credentials: headers['proxy-authorization'] });
    client.on('error', () => {});
    if (behaviour === 'hang') return;
    if (behaviour === 'close') return client.destroy();
    if (behaviour !== 'open') return client.end(`HTTP/1.1 ${behaviour}\r\nContent-Length: 0\r\n\r\n`);
    const target = connect({ host: '127.0.0.1', port: Number(url.split(':').at(-1)) });
    sockets.add(target);
    let isOpen = false;
    target.once('connect', () => {
      isOpen = true;
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    target.once('error', () => {
      if (isOpen) client.destroy();
      else client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    });
    client.once('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: typeof address === 'object' && address !== null ? address.port : 0, asked, behave, close };
}
