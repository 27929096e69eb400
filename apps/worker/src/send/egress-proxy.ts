import http from 'node:http';
import type { Socket } from 'node:net';
import type { HttpProxy } from '@ringback/runtime';

/**
 * The proxy was reached but opened no tunnel. The code is `PROXY_<status>`, or `PROXY_CLOSED` when there was no
 * response.
 */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(reply: number | 'CLOSED') {
    super('the proxy opened no tunnel');
    this.code = `PROXY_${reply}`;
  }
}

/** The proxy cannot be reached. This is an internal error, not the receiver's failure. */
export class ProxyUnreachableError extends Error {
  override readonly name = 'ProxyUnreachableError';
  readonly code = 'PROXY_UNREACHABLE';
}

/** Opens a connection to the target through the proxy with CONNECT. */
export function openTunnel(
  { proxy, timeoutMs }: { proxy: HttpProxy; timeoutMs: number },
  target: { host: string; port: number },
): Promise<Socket> {
  const path = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const { host, port, headers } = proxy;
  return new Promise((resolve, reject) => {
    const request = http.request({
      method: 'CONNECT',
      host,
      port,
      path,
      headers: { ...headers, Host: path },
      agent: false,
    });
    // Earlier than the deadline of the whole request, which would count as the receiver's timeout.
    const connectDeadline = setTimeout(() => request.destroy(), timeoutMs / 2);
    const deadline = setTimeout(() => request.destroy(), timeoutMs);
    request.once('close', () => [connectDeadline, deadline].forEach(clearTimeout));
    let isReached = false;
    request.once('socket', (socket) =>
      socket.once('connect', () => {
        isReached = true;
        clearTimeout(connectDeadline);
      }),
    );
    const fail = (reply: number | 'CLOSED') => {
      request.destroy();
      reject(new TunnelError(reply));
    };
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(deadline);
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      fail(statusCode);
    });
    // Emitted for a response that is not 2xx.
    request.once('response', ({ statusCode = 0 }) => fail(statusCode));
    request.once('error', (cause) => {
      reject(
        isReached ? new TunnelError('CLOSED') : new ProxyUnreachableError('the proxy cannot be reached', { cause }),
      );
    });
    request.end();
  });
}
