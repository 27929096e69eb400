import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A hop on loopback between a client and a server, which can turn into a black hole. */
export type TcpProxy = {
  /** The same address with this proxy in place of the server. */
  through(url: string): string;
  /** Where connections go that are made from now on; those that stand stay where they are. */
  pointTo(url: string): void;
  /**
   * From now on no byte comes through, and no connection is refused or closed. Those of that time stay mute for ever,
   * as when whoever forwarded them has forgotten them.
   */
  swallow(): void;
  /** Connections that are made from now on get through. */
  pass(): void;
  close(): Promise<void>;
};

/** Opens one before the server of a url that names its port. */
export async function openTcpProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url);
  let isHole = false;
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const mute = (pair: readonly Socket[]) => {
    for (const socket of pair) socket.unpipe().removeAllListeners('close').resume();
  };
  const server = createServer((client) => {
    keep(client);
    if (isHole) return void client.resume();
    const upstream = connect(Number(target.port), target.hostname);
    keep(upstream);
    client.pipe(upstream).once('close', () => client.destroy());
    upstream.pipe(client).once('close', () => upstream.destroy());
    pairs.push([client, upstream]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? String(address.port) : '';
  return {
    through: (text) => Object.assign(new URL(text), { hostname: '127.0.0.1', port }).href,
    pointTo: (text) => void (target = new URL(text)),
    swallow() {
      isHole = true;
      pairs.splice(0).forEach(mute);
    },
    pass: () => void (isHole = false),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
