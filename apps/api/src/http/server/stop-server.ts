import { once } from 'node:events';
import type http from 'node:http';
import type { Socket } from 'node:net';

// A client that has just connected may be about to send its first request.
const unusedMs = 2_000;
// Less than the 10 s after which the process ends, because the database is closed after the server.
const requestsMs = 9_000;

/**
 * Prepares a server for its stop. The returned function accepts no more connections and resolves once all are closed:
 * idle ones at once, ones that never sent a byte after 2 s, and ones with a request after its response, or after 9 s.
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
    setTimeout(closeUnused, unusedMs).unref();
    setTimeout(() => server.closeAllConnections(), requestsMs).unref();
    await closed;
  };
}
