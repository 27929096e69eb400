import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

const idleBefore = new WeakMap<ClientRequest, number>();

/** How long the connection of a request had been idle when the request took it, in ms; 0 for one that was not. */
export const idleBeforeMs = (request: ClientRequest): number => idleBefore.get(request) ?? 0;

/** Bounds the idle connections of all agents that are handed to the result, and notes how long each was idle. */
export function boundIdle(most: number): (agent: Agent) => void {
  // In the order of their becoming idle; since when, on performance.now()'s clock.
  const idle = new Map<Duplex, number>();
  return (agent) => {
    const keepSocketAlive = agent.keepSocketAlive.bind(agent);
    const reuseSocket = agent.reuseSocket.bind(agent);
    const createConnection = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => {
      const forget = (socket: Duplex) => socket.once('close', () => idle.delete(socket));
      const socket = createConnection(options, (error, opened) => {
        if (!error) forget(opened);
        done?.(error, opened);
      });
      if (socket) forget(socket);
      return socket;
    };
    agent.keepSocketAlive = (socket) => {
      const [oldest] = idle.size >= most ? idle.keys() : [];
      oldest?.destroy();
      if (oldest) idle.delete(oldest);
      idle.set(socket, performance.now());
      return keepSocketAlive(socket);
    };
    agent.reuseSocket = (socket, request) => {
      const since = idle.get(socket);
      if (since !== undefined) idleBefore.set(request, performance.now() - since);
      idle.delete(socket);
      reuseSocket(socket, request);
    };
  };
}
