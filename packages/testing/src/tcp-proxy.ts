import { on, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

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
  /** What each connection said first, in the order in which they were made. */
  readonly greetings: Buffer[];
  /** Breaks the connection on which a text goes to the server next; resolves when it is broken. */
  breakAt(point: BreakPoint): Promise<void>;
  close(): Promise<void>;
};

/**
 * Before the text gets to the server, or after PostgreSQL has done what it was asked, when nobody has heard of it yet.
 * `meanwhile` is done before anybody sees the connection break.
 */
export type BreakPoint = { text: string; when: 'asked' | 'answered'; meanwhile?: () => Promise<void> };

type Break = BreakPoint & { done(): void };

/** Opens one before the server of a url that names its port. */
export async function openTcpProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url);
  let isHole = false;
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  const greetings: Buffer[] = [];
  const breaks = new Set<Break>();
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
    client.once('data', (chunk: Buffer) => greetings.push(chunk));
    const gate = openGate([client, upstream], breaks);
    client
      .pipe(gate)
      .pipe(upstream)
      .once('close', () => client.destroy());
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
    greetings,
    breakAt: (point) => new Promise((done) => void breaks.add({ ...point, done })),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Lets through what goes to the server until there is a break for it. */
function openGate([client, upstream]: [Socket, Socket], breaks: Set<Break>): Transform {
  const end = async ({ meanwhile, done }: Break) => {
    await meanwhile?.();
    client.destroy();
    upstream.destroy();
    done();
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      const wanted = [...breaks].find(({ text }) => chunk.includes(text));
      if (!wanted) return next(null, chunk);
      breaks.delete(wanted);
      if (wanted.when === 'asked') return void end(wanted);
      upstream.unpipe(client);
      void answered(upstream).then(() => end(wanted));
      return next(null, chunk);
    },
  });
}

// PostgreSQL's ReadyForQuery outside of a transaction: what was asked for is over, and committed unless it failed.
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

async function answered(server: Socket): Promise<void> {
  const chunks = on(server, 'data', { close: ['close'] });
  // Without a pipe it stands still.
  server.resume();
  let tail = Buffer.alloc(0);
  for await (const chunk of chunks) {
    tail = Buffer.concat([tail, ...(chunk as Buffer[])]).subarray(-ready.length);
    if (tail.equals(ready)) return;
  }
}
