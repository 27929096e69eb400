import type { Agent, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const unpromisedMs = 1_000;
const maxIdleMs = 60_000;

/**
 * How long a connection may be idle and still be used again: half of what `Keep-Alive: timeout=` promises, at most
 * 60 s; 1 s without a promise. A receiver that closes a connection just as a request goes out would cost an attempt.
 */
export function idleLimitMs(keepAlive: string): number {
  const promisedS = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1];
  return promisedS === undefined ? unpromisedMs : Math.min(Number(promisedS) * 500, maxIdleMs);
}

const limits = new WeakMap<Duplex, number>();

/** Notes how long the connection of a response may be idle after it. */
export const noteIdleLimit = ({ socket, headers }: IncomingMessage): void =>
  void limits.set(socket, idleLimitMs(String(headers['keep-alive'] ?? '')));

/**
 * Closes idle connections of all agents that are handed to the result: those whose limit has passed, those on which
 * bytes arrive, and, beyond `maxIdle`, the one idle for longest.
 */
export function limitIdle(maxIdle: number): (agent: Agent) => void {
  // In the order in which they became idle.
  const idle = new Set<Duplex>();
  const watch = (socket: Duplex) => {
    socket.once('close', () => idle.delete(socket));
    // First of the listeners: the client's own is gone once a response is complete, so what comes then answers nothing.
    socket.prependListener('data', () => socket.listenerCount('data') === 1 && socket.destroy());
  };
  return (agent) => {
    const reuseSocket = agent.reuseSocket.bind(agent);
    const createConnection = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => {
      const socket = createConnection(options, (error, opened) => {
        if (!error) watch(opened);
        done?.(error, opened);
      });
      if (socket) watch(socket);
      return socket;
    };
    agent.keepSocketAlive = (socket) => {
      const limitMs = limits.get(socket) ?? unpromisedMs;
      if (!(socket instanceof Socket) || limitMs === 0) return false;
      const [oldest] = idle.size >= maxIdle ? idle : [];
      oldest?.destroy();
      if (oldest) idle.delete(oldest);
      idle.add(socket);
      socket.unref();
      // The agent destroys an idle socket that times out.
      socket.setTimeout(limitMs);
      return true;
    };
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      if (socket instanceof Socket) socket.setTimeout(0);
      reuseSocket(socket, request);
    };
  };
}
