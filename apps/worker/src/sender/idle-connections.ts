import type http from 'node:http';
import type { Socket } from 'node:net';

const defaultIdleMs = 1_000;
export const maxIdleMs = 60_000;

/**
 * For how long an idle connection may be reused: half of the receiver's `Keep-Alive: timeout=`, at most 60 s; 1 s
 * without this timeout. A request on a connection that the receiver is just closing would fail and use up an attempt.
 */
export function idleLimitMs(keepAlive: string): number {
  const timeoutSeconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1];
  return timeoutSeconds === undefined ? defaultIdleMs : Math.min(Number(timeoutSeconds) * 500, maxIdleMs);
}

/**
 * The idle connections of all agents. One is closed when its limit (`idleLimitMs`) has passed, or when bytes arrive on
 * it. When there are `maxIdle`, a further one closes the one that has been idle for longest.
 */
export class IdleConnections {
  // In the order in which they became idle.
  readonly #sockets = new Set<Socket>();

  constructor(readonly maxIdle: number) {}

  watch(socket: Socket): void {
    socket.once('close', () => this.#sockets.delete(socket));
    // The client removes its listener when a response is complete, so bytes that arrive later belong to no request.
    socket.prependListener('data', () => socket.listenerCount('data') === 1 && socket.destroy());
  }

  /** Follows a request, before and after which its connection is idle. */
  follow(request: http.ClientRequest): void {
    request.once('socket', (socket: Socket) => {
      this.#sockets.delete(socket);
      socket.setTimeout(0);
    });
    request.once('response', (response) => {
      // At its end, a response no longer has its socket.
      const { socket } = response;
      response.once('end', () => this.#add(socket, response.headers));
    });
  }

  #add(socket: Socket, headers: http.IncomingHttpHeaders): void {
    const limitMs = idleLimitMs(String(headers['keep-alive'] ?? ''));
    if (limitMs === 0) return void socket.destroy();
    const [oldest] = this.#sockets.size >= this.maxIdle ? this.#sockets : [];
    oldest?.destroy();
    if (oldest) this.#sockets.delete(oldest);
    this.#sockets.add(socket);
    // Only now does the agent keep the connection, with its own timeout. It closes an idle connection that times out.
    setImmediate(() => this.#sockets.has(socket) && socket.setTimeout(limitMs));
  }
}
