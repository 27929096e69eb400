// Proxies for servers, in their own process. Each chunk is forwarded after half of the round-trip time.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The addresses of the servers, and the additional round-trip time. */
export type Distance = { roundTripMs: number; servers: { host: string; port: number }[] };
/** The port of each proxy, in the order of the servers. */
export type Ready = { type: 'ready'; ports: number[] };

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

process.once('message', ({ roundTripMs, servers }: Distance) => {
  const ports = servers.map(({ host, port }) => listen(host, port, roundTripMs / 2));
  void Promise.all(ports).then((ready) => process.send?.({ type: 'ready', ports: ready } satisfies Ready));
});
process.on('disconnect', () => process.exit());
