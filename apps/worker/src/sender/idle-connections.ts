import type http from 'node:http';
import type { Socket } from 'node:net';
import { setBounded } from '@ringback/process';
import { forgetHead, keepHead } from './response.js';

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

export type IdleSettings = {
  /** Maximum idle connections to all hosts together; a further one closes the one that has been idle for longest. */
  maxIdle: number;
  /** No request starts on a connection that was opened longer ago. */
  maxAgeMs: number;
};

type Connection = { origin: string; openedAtMonotonicMs: number; idleSinceMonotonicMs?: number };

// After these statuses, another connection may lead to another server: overloaded ones shed load, and 421 says so.
const lastStatuses = new Set([408, 421, 429, 503]);
const earlyCloseMs = 1_000;
const noReuseMs = 600_000;
const maxOrigins = 10_000;

/**
 * The idle connections of all agents. One is closed when its limit (`idleLimitMs`) has passed, when it is too old, or
 * when bytes arrive on it. Connections to a receiver that closes them without having said so are not reused at all for
 * 10 minutes, because every request that meets the end of a connection is a lost attempt.
 */
export class IdleConnections {
  readonly #settings: IdleSettings;
  // In the order in which they became idle.
  readonly #idle = new Set<Socket>();
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Until when connections to an origin are not reused. */
  readonly #unreliable = new Map<string, number>();

  constructor(settings: IdleSettings) {
    this.#settings = settings;
  }

  /** Watches a new connection to an origin. */
  watch(socket: Socket, origin: string): void {
    const connection: Connection = { origin, openedAtMonotonicMs: performance.now() };
    this.#connections.set(socket, connection);
    // The agent closes an idle connection that times out; any other end of one is the receiver's.
    socket.prependListener('timeout', () => this.#idle.delete(socket));
    socket.once('close', () => {
      const idleMs = performance.now() - (connection.idleSinceMonotonicMs ?? -Infinity);
      if (this.#idle.delete(socket) && idleMs < earlyCloseMs) this.#stopReuse(origin);
    });
    socket.prependListener('data', (chunk: Buffer) => {
      // The client removes its listener when a response is complete, so bytes that arrive later belong to no request.
      if (socket.listenerCount('data') === 1) this.#close(socket);
      else keepHead(socket, chunk);
    });
  }

  /** Follows a request, before and after which its connection is idle. */
  follow(request: http.ClientRequest): void {
    request.once('socket', (socket: Socket) => {
      this.#idle.delete(socket);
      socket.setTimeout(0);
    });
    request.once('response', (response) => {
      // At its end, a response no longer has its socket.
      const { socket } = response;
      response.once('end', () => {
        forgetHead(socket);
        this.#add(socket, response);
      });
    });
  }

  /** Reports a request that failed on a reused connection before the first byte of a response. */
  reportBroken({ socket }: http.ClientRequest): void {
    const connection = socket && this.#connections.get(socket);
    if (connection) this.#stopReuse(connection.origin);
  }

  #add(socket: Socket, { statusCode = 0, headers, httpVersion }: http.IncomingMessage): void {
    const connection = this.#connections.get(socket);
    // The receiver has said that it closes the connection, so the client does too.
    const isLast = httpVersion === '1.0' || /\bclose\b/i.test(headers.connection ?? '');
    if (!connection || isLast) return;
    const now = performance.now();
    const untilMonotonicMs = connection.openedAtMonotonicMs + this.#settings.maxAgeMs;
    const limitMs = Math.min(idleLimitMs(String(headers['keep-alive'] ?? '')), untilMonotonicMs - now);
    const isReusable = !lastStatuses.has(statusCode) && (this.#unreliable.get(connection.origin) ?? 0) < now;
    if (limitMs <= 0 || !isReusable) return void socket.destroy();
    const [oldest] = this.#idle.size >= this.#settings.maxIdle ? this.#idle : [];
    if (oldest) this.#close(oldest);
    this.#idle.add(socket);
    connection.idleSinceMonotonicMs = now;
    // Only now does the agent keep the connection, with its own timeout. It closes an idle connection that times out.
    setImmediate(() => this.#idle.has(socket) && socket.setTimeout(Math.ceil(limitMs)));
  }

  #close(socket: Socket): void {
    this.#idle.delete(socket);
    socket.destroy();
  }

  #stopReuse(origin: string): void {
    setBounded(this.#unreliable, origin, performance.now() + noReuseMs, maxOrigins);
    for (const socket of this.#idle) if (this.#connections.get(socket)?.origin === origin) this.#close(socket);
  }
}
