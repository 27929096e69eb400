import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { type Certificate } from '@ringback/receiver';

/**
 * What the receiver does with a request. `index`: the number of earlier requests on all connections. `request`: its
 * bytes as Latin-1.
 */
export type Respond = (connection: Socket | TLSSocket, index: number, request: string) => void;

export type RawReceiver = {
  port: number;
  /** How many complete requests have arrived. */
  requests(): number;
  /** How many connections were opened. */
  opened(): number;
  /** How many of the opened connections are closed. */
  closed(): number;
  /** How many TLS connections resumed a session. */
  resumed(): number;
  close(): void;
};

/** A TCP or TLS server that reads requests and writes exactly the bytes that a test wants. */
export async function openRawReceiver(respond: Respond, certificate?: Certificate): Promise<RawReceiver> {
  const count = { requests: 0, opened: 0, closed: 0, resumed: 0 };
  const connections = new Set<Socket>();
  const serve = (connection: Socket | TLSSocket) => {
    count.opened++;
    if ('isSessionReused' in connection && connection.isSessionReused()) count.resumed++;
    connections.add(connection);
    connection.on('error', () => {});
    connection.on('close', () => count.closed++);
    let text = '';
    connection.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = endOfRequest(text); end > 0; end = endOfRequest(text)) {
        const request = text.slice(0, end);
        text = text.slice(end);
        respond(connection, count.requests++, request);
      }
    });
  };
  const server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => count.requests,
    opened: () => count.opened,
    closed: () => count.closed,
    resumed: () => count.resumed,
    close() {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}

/** The index in the text at which its first request ends; 0 while that is incomplete. */
function endOfRequest(text: string): number {
  const head = text.indexOf('\r\n\r\n') + 4;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return head >= 4 && text.length >= head + length ? head + length : 0;
}

/** The bytes of a response with a body. */
export const rawResponse = (status: number, body = 'ok', headers = ''): string =>
  `HTTP/1.1 ${status} Status\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
