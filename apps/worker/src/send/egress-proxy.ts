import http from 'node:http';
import type { Socket } from 'node:net';
import type { Proxy } from '@ringback/runtime';

/** The proxy was reached and opened no tunnel: `PROXY_<status>`, or `PROXY_CLOSED` when it gave no answer. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(answer: number | 'CLOSED') {
    super('the proxy opened no tunnel');
    this.code = `PROXY_${answer}`;
  }
}

/** The proxy itself cannot be reached: trouble of ours, not of the receiver. */
export class ProxyUnreachableError extends Error {
  override readonly name = 'ProxyUnreachableError';
  readonly code = 'PROXY_UNREACHABLE';
}

/** A connection to the target through the proxy. What goes over it are the same bytes as without one. */
export function openTunnel(
  { proxy, timeoutMs }: { proxy: Proxy; timeoutMs: number },
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
    // Sooner than the call's own end, which would be the receiver's fault.
    const reachedBy = setTimeout(() => request.destroy(), timeoutMs / 2);
    const deadline = setTimeout(() => request.destroy(), timeoutMs);
    request.once('close', () => [reachedBy, deadline].forEach(clearTimeout));
    let isReached = false;
    request.once('socket', (socket) =>
      socket.once('connect', () => {
        isReached = true;
        clearTimeout(reachedBy);
      }),
    );
    const giveUp = (answer: number | 'CLOSED') => {
      request.destroy();
      reject(new TunnelError(answer));
    };
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(deadline);
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      giveUp(statusCode);
    });
    // What answers anything but 2xx to CONNECT.
    request.once('response', ({ statusCode = 0 }) => giveUp(statusCode));
    request.once('error', (cause) => {
      reject(
        isReached ? new TunnelError('CLOSED') : new ProxyUnreachableError('the proxy cannot be reached', { cause }),
      );
    });
    request.end();
  });
}
