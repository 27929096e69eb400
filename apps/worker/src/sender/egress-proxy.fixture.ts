import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type TestProxy = {
  port: number;
  /** The target and the credentials of each request, in order. */
  asked: { target: string; credentials: string | undefined }[];
  close(): void;
};

/**
 * A real CONNECT proxy on loopback that resolves every name to 127.0.0.1. With another `behaviour` than `open`, it
 * opens no tunnel: it closes the connection (`close`), never responds (`hang`), or responds with this status, such as
 * `403 Forbidden`.
 */
export async function openTestProxy(behaviour = 'open'): Promise<TestProxy> {
  const asked: TestProxy['asked'] = [];
  const sockets = new Set<Duplex>();
  const server = http.createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket: Socket) => sockets.add(socket));
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
  return { port: typeof address === 'object' && address !== null ? address.port : 0, asked, close };
}
