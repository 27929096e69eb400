import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const serverTimeouts = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  // How often Node checks the first two timeouts; the default is 30 s.
  connectionsCheckingInterval: 1_000,
};

/**
 * Creates an HTTP server, to which the app is attached later as its `request` listener. A request that Node itself
 * refuses gets an error in the format of all others (docs/reference/api.md#errors), unless a response on the same
 * connection is partly sent.
 */
export function createServer(options: http.ServerOptions = {}): http.Server {
  // Node's own response to a missing Host header has no body. `requireHost` sends a complete one.
  const server = http.createServer({ ...serverTimeouts, ...options, requireHostHeader: false });
  const newestResponses = new WeakMap<Duplex, http.ServerResponse>();
  server.on('request', (request, response) => newestResponses.set(request.socket, response));
  // HTTP allows a server to ignore an unknown expectation. Node's own response (417) has no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = newestResponses.get(socket);
    const isMidResponse = response !== undefined && response.headersSent && !response.writableFinished;
    if (error.code !== 'ECONNRESET' && socket.writable && !isMidResponse) socket.write(formatRefusal(error.code));
    socket.destroy();
  });
  return server;
}

const refusals: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The request body is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

/** The bytes of a complete HTTP response, as text. */
function formatRefusal(errorCode = ''): string {
  const [code, message] = refusals[errorCode] ?? [400, 'The request is not valid HTTP.'];
  const status = code === 413 ? 'PayloadTooLarge' : 'BadRequest';
  const body = JSON.stringify({ status, code, message });
  const headers = [
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ];
  return [`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}`, ...headers, '', body].join('\r\n');
}

// A client that has just connected may be about to send its first request.
const closeUnusedAfterMs = 2_000;
// Less than the 10 s after which the process exits, so that there is time to close the database after the server.
const closeAllAfterMs = 9_000;

/**
 * Returns a function that stops the server without cutting off requests: it accepts no more connections, closes idle
 * ones at once and busy ones after their response. After 2 s it closes connections on which no byte arrived, after 9 s
 * all others. It resolves when all are closed.
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
