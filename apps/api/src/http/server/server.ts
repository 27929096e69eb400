import http from 'node:http';
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
 * refuses gets an error in the format of all others (docs/reference/api.md#errors), unless a response on the same connection
 * is partly sent.
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
