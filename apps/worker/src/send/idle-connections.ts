import type { Agent, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const defaultIdleMs = 1_000;
const maxIdleMs = 60_000;

/**
 * For how long an idle connection may be reused: half of the receiver's `Keep-Alive: timeout=`, at most 60 s; 1 s
 * without this timeout. A request on a connection that the receiver is just closing would fail and use up an attempt.
 */
export function idleLimitMs(keepAlive: string): number {
  const timeoutSeconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1];
  return timeoutSeconds === undefined ? defaultIdleMs : Math.min(Number(timeoutSeconds) * 500, maxIdleMs);
}

const idleLimits = new WeakMap<Duplex, number>();

/** Stores for how long the connection of a response may be idle after it. */
export const storeIdleLimit = ({ socket, headers }: IncomingMessage): void =>
  void idleLimits.set(socket, idleLimitMs(String(headers['keep-alive'] ?? '')));

/**
 * Returns a function that limits the idle connections of an agent. An idle connection is closed when its limit
 * (`idleLimitMs`) has passed or bytes arrive on it. When all agents together have `maxIdle` idle connections, a further
 * one closes the one that has been idle for longest.
 */
export function limitIdle(maxIdle: number): (agent: Agent) => void {
  // In the order in which they became idle.
  const idleSockets = new Set<Duplex>();
  const watch = (socket: Duplex) => {
    socket.once('close', () => idleSockets.delete(socket));
    // The client removes its listener when a response is complete, so bytes that arrive later belong to no request.
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
      const limitMs = idleLimits.get(socket) ?? defaultIdleMs;
      if (!(socket instanceof Socket) || limitMs === 0) return false;
      const [oldest] = idleSockets.size >= maxIdle ? idleSockets : [];
      oldest?.destroy();
      if (oldest) idleSockets.delete(oldest);
      idleSockets.add(socket);
      socket.unref();
      // The agent destroys an idle socket that times out.
      socket.setTimeout(limitMs);
      return true;
    };
    agent.reuseSocket = (socket, request) => {
      idleSockets.delete(socket);
      if (socket instanceof Socket) socket.setTimeout(0);
      reuseSocket(socket, request);
    };
  };
}
