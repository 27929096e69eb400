import { on, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP proxy on 127.0.0.1 between a client and a server. It can drop traffic and break connections. */
export type TcpProxy = {
  /** Replaces the host and the port of a URL with those of the proxy. */
  proxyUrlFor(url: string): string;
  /** Changes the server for new connections. Existing connections stay with their server. */
  pointTo(url: string): void;
  /**
   * Drops all traffic from now on, without refusing or closing connections. Connections that are open now stay silent
   * forever, as if a router had lost their state.
   */
  dropTraffic(): void;
  /** Forwards new connections again. */
  pass(): void;
  /** The first chunk from the client of each forwarded connection, in the order of their arrival. */
  readonly firstChunks: Buffer[];
  /**
   * Breaks the next connection on which the text is sent to the server, in one chunk. Resolves when the connection is
   * broken.
   */
  breakAt(point: BreakPoint): Promise<void>;
  close(): Promise<void>;
};

/**
 * When a connection breaks: `before` the text reaches the server, or `after` PostgreSQL has processed the text but
 * before the client gets the response. `meanwhile` runs just before the connection breaks.
 */
export type BreakPoint = { text: string; when: 'before' | 'after'; meanwhile?: () => Promise<void> };

type Break = BreakPoint & { done(): void };

/** Starts a proxy for the server that a URL names. The URL must have a port. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url);
  let isDropping = false;
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  const firstChunks: Buffer[] = [];
  const breaks = new Set<Break>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const silence = (pair: readonly Socket[]) => {
    for (const socket of pair) socket.unpipe().removeAllListeners('close').resume();
  };
  const server = createServer((client) => {
    track(client);
    if (isDropping) return void client.resume();
    const upstream = connect(Number(target.port), target.hostname);
    track(upstream);
    client.once('data', (chunk: Buffer) => firstChunks.push(chunk));
    const breaker = createBreaker([client, upstream], breaks);
    client
      .pipe(breaker)
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
    proxyUrlFor: (text) => Object.assign(new URL(text), { hostname: '127.0.0.1', port }).href,
    pointTo: (text) => void (target = new URL(text)),
    dropTraffic() {
      isDropping = true;
      pairs.splice(0).forEach(silence);
    },
    pass: () => void (isDropping = false),
    firstChunks,
    breakAt: (point) => new Promise((done) => void breaks.add({ ...point, done })),
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/**
 * A stream that forwards data to the server, and breaks the connection if the data contains the text of a break point.
 */
function createBreaker([client, upstream]: [Socket, Socket], breaks: Set<Break>): Transform {
  const breakConnection = async ({ meanwhile, done }: Break) => {
    await meanwhile?.();
    client.destroy();
    upstream.destroy();
    done();
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      const match = [...breaks].find(({ text }) => chunk.includes(text));
      if (!match) return next(null, chunk);
      breaks.delete(match);
      if (match.when === 'before') return void breakConnection(match);
      upstream.unpipe(client);
      void waitForReadyForQuery(upstream).then(() => breakConnection(match));
      return next(null, chunk);
    },
  });
}

// PostgreSQL's message ReadyForQuery outside a transaction: the statement is finished, and committed unless it failed.
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

async function waitForReadyForQuery(server: Socket): Promise<void> {
  const chunks = on(server, 'data', { close: ['close'] });
  // Without a pipe the stream is paused.
  server.resume();
  let tail = Buffer.alloc(0);
  for await (const chunk of chunks) {
    tail = Buffer.concat([tail, ...(chunk as Buffer[])]).subarray(-readyForQuery.length);
    if (tail.equals(readyForQuery)) return;
  }
}
