import type { Agent, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const defaultIdleMs = 1_000;
const maxIdleMs = 60_000;

/**
 * How long an idle connection may be reused: half of the receiver's `Keep-Alive: timeout=`, at most 60 s; 1 s without one.
 * A request on a connection that the receiver closes at that moment would fail and spend an attempt.
 */
export function idleLimitMs(keepAlive: string): number {
  const timeoutSeconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1];
  return timeoutSeconds === undefined ? defaultIdleMs : Math.min(Number(timeoutSeconds) * 500, maxIdleMs);
}

const limits = new WeakMap<Duplex, number>();

/** Stores how long the connection of a response may be idle after it. */
export const storeIdleLimit = ({ socket, headers }: IncomingMessage): void =>
  void limits.set(socket, idleLimitMs(String(headers['keep-alive'] ?? '')));

/**
 * Returns a function that limits the idle connections of an agent. It closes those that are idle for too long, those on
 * which bytes arrive and, when all its agents have more than `maxIdle`, the one that is idle for longest.
 */
export function limitIdle(maxIdle: number): (agent: Agent) => void {
  // The longest idle first.
  const idle = new Set<Duplex>();
  const watch = (socket: Duplex) => {
    socket.once('close', () => idle.delete(socket));
    // The client's listener is removed when a response is complete, so later bytes belong to no request.
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
      const limitMs = limits.get(socket) ?? defaultIdleMs;
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
