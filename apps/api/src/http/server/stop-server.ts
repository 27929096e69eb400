import { once } from 'node:events';
import type http from 'node:http';
import type { Socket } from 'node:net';

// A client that has just connected may be about to send its first request.
const closeUnusedAfterMs = 2_000;
// Less than the 10 s after which the process exits, so that there is time to close the database after the server.
const closeAllAfterMs = 9_000;

/**
 * Prepares a server for its stop. The returned function stops the server from accepting connections, and resolves when
 * all connections are closed. It closes idle connections at once, and a connection with a request after the response.
 * After 2 s it closes connections on which no byte arrived, after 9 s all others.
 */
export function prepareStop(server: http.Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    response.on('finish', () => server.listening || socket.end());
  });
  return async () => {
    const closed = once(server, 'close');
    server.close();
    const closeUnused = () => sockets.forEach((socket) => socket.bytesRead === 0 && socket.destroy());
    setTimeout(closeUnused, closeUnusedAfterMs).unref();
    setTimeout(() => server.closeAllConnections(), closeAllAfterMs).unref();
    await closed;
  };
}
