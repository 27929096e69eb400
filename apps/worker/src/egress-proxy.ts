import http from 'node:http';
import type { Socket } from 'node:net';

export type Proxy = { host: string; port: number; headers: Record<string, string> };

/** Reads `EGRESS_PROXY`: `http://[user:password@]host:port`. Throws an Error, without what it holds, when it is not that. */
export function parseProxyUrl(text: string): Proxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new Error('is no address of a proxy such as http://proxy.example:3128');
  }
  const { hostname, port, username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> =
    credentials === ':' ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), headers };
}

/** The proxy answered that it does not open the tunnel. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(status: number) {
    super('the proxy opened no tunnel');
    this.code = `PROXY_${status}`;
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
    const request = http.request({ method: 'CONNECT', host, port, path, headers: { ...headers, Host: path }, agent: false });
    const deadline = setTimeout(() => request.destroy(), timeoutMs);
    request.once('close', () => clearTimeout(deadline));
    request.once('connect', (response, socket: Socket, head: Buffer) => {
      clearTimeout(deadline);
      if (response.statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      reject(new TunnelError(response.statusCode ?? 0));
    });
    // Any other answer than to CONNECT, for instance a bad request.
    request.once('response', (response) => {
      request.destroy();
      reject(new TunnelError(response.statusCode ?? 0));
    });
    request.once('error', (error) => reject(new ProxyUnreachableError('the proxy cannot be reached', { cause: error })));
    request.end();
  });
}
