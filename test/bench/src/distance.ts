// Proxies for servers, in a process of their own, which runs this file. Each chunk is forwarded after half of the
// round-trip time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { nextMessage } from './programs.js';

/** Servers behind proxies. `proxyUrlFor` replaces the host and port of a server's URL with those of its proxy. */
export type DistantServers = { proxyUrlFor(url: string): string; close(): void };

/**
 * Starts a proxy for the server of each URL, which adds `roundTripMs` to the round-trip time. Starts none if it is 0.
 */
export async function startDistantServers(urls: string[], roundTripMs: number): Promise<DistantServers> {
  if (roundTripMs === 0) return { proxyUrlFor: (url) => url, close: () => undefined };
  const addresses = urls.map((url) => new URL(url));
  const child = fork(import.meta.filename);
  const isReady = nextMessage<Ready>(child, 'ready');
  const servers = addresses.map(({ hostname, port }) => ({ host: hostname, port: Number(port) }));
  child.send({ roundTripMs, servers } satisfies Distance);
  const { ports } = await isReady;
  return {
    proxyUrlFor(url) {
      const index = addresses.findIndex(({ host }) => host === new URL(url).host);
      return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(ports[index]) }).href;
    },
    close: () => void child.kill('SIGKILL'),
  };
}

/** The addresses of the servers, and the additional round-trip time. */
type Distance = { roundTripMs: number; servers: { host: string; port: number }[] };
/** The port of each proxy, in the order of the servers. */
type Ready = { type: 'ready'; ports: number[] };

function forward(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay(true).on('error', () => to.destroy());
  from.on('data', (chunk) => void setTimeout(() => to.write(chunk), delayMs));
  from.on('close', () => void setTimeout(() => to.destroy(), delayMs));
}

async function listen(host: string, port: number, delayMs: number): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect(port, host);
    forward(client, upstream, delayMs);
    forward(upstream, client, delayMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.argv[1] === import.meta.filename) {
  process.once('message', ({ roundTripMs, servers }: Distance) => {
    const ports = servers.map(({ host, port }) => listen(host, port, roundTripMs / 2));
    void Promise.all(ports).then((ready) => process.send?.({ type: 'ready', ports: ready } satisfies Ready));
  });
  process.on('disconnect', () => process.exit());
}
