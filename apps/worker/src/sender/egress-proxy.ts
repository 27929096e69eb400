import http from 'node:http';
import type { Socket } from 'node:net';
import type { HttpProxy } from '@ringback/process';

/**
 * The proxy was reached but opened no usable tunnel. The code is `PROXY_<status>`, or `PROXY_CLOSED` when there was no
 * response.
 */
class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(statusOrClosed: number | 'CLOSED') {
    super('the proxy opened no tunnel');
    this.code = `PROXY_${statusOrClosed}`;
  }
}

/** The proxy cannot be reached. This is an internal error, not the receiver's failure. */
class ProxyUnreachableError extends Error {
  override readonly name = 'ProxyUnreachableError';
  readonly code = 'PROXY_UNREACHABLE';
}

/** Opens a connection to the target through the proxy with CONNECT. Rejects with one of the errors above. */
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
    // Ends before the deadline of the whole request, which would count as the receiver's timeout.
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
    // For CONNECT, Node emits `connect` for a response with any status.
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(deadline);
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      request.destroy();
      reject(new TunnelError(statusCode));
    });
    request.once('error', (cause) => {
      reject(
        isReached ? new TunnelError('CLOSED') : new ProxyUnreachableError('the proxy cannot be reached', { cause }),
      );
    });
    request.end();
  });
}
