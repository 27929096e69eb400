import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Distance, Ready } from './distance-process.js';
import { nextMessage } from './message.js';

/** Servers behind proxies. `proxyUrlFor` replaces the host and port of a server's URL with those of its proxy. */
export type DistantServers = { proxyUrlFor(url: string): string; close(): void };

/**
 * Starts a proxy for the server of each URL, which adds `roundTripMs` to the round-trip time. Starts none if it is 0.
 */
export async function startDistantServers(urls: string[], roundTripMs: number): Promise<DistantServers> {
  if (roundTripMs === 0) return { proxyUrlFor: (url) => url, close: () => undefined };
  const addresses = urls.map((url) => new URL(url));
  const child = fork(fileURLToPath(new URL('distance-process.js', import.meta.url)));
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
