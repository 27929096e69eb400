import http from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { percentDecode } from '@ringback/runtime';
import { ApiError } from '../output/api-error.js';

const serverTimeouts = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  // How often Node checks these timeouts; the default is 30 s.
  connectionsCheckingInterval: 1_000,
};

/**
 * Creates an HTTP server, to which the app is attached later as its `request` listener. Requests that Node itself
 * refuses get an error in the same format as all others (docs/behaviour.md: errors).
 */
export function createServer(options: http.ServerOptions = {}): http.Server {
  // Node's own response to a missing Host header has no body. `requireHost` sends a complete one.
  const server = http.createServer({ ...serverTimeouts, ...options, requireHostHeader: false });
  const responses = new WeakMap<Duplex, http.ServerResponse>();
  server.on('request', (request, response) => responses.set(request.socket, response));
  // HTTP allows a server to ignore an unknown expectation. Node's own response to it has no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    const isBetweenResponses = response === undefined || !response.headersSent || response.writableFinished;
    if (error.code !== 'ECONNRESET' && socket.writable && isBetweenResponses) socket.write(formatRefusal(error.code));
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

/** Throws a 400 unless the request has exactly one Host header. In HTTP/1.0 it may be missing. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const { length } = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (length > 1) throw new ApiError(400, 'There is more than one Host header.');
  if (length === 0 && request.httpVersion === '1.1') throw new ApiError(400, 'The Host header is missing.');
  next();
};

/** Forbids caching. The portal overrides it for files whose names contain a hash. */
export const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Refuses callbacks with a 508, because a webhook that points to this API would cause a loop. */
export const refuseCallbacks: RequestHandler = (request, _response, next) => {
  if (request.headers['x-ringback-delivery'] !== undefined)
    throw new ApiError(508, 'This is a callback of Ringback. Its webhook must not point back at Ringback.');
  next();
};

/**
 * A path with malformed percent-encoding gets a 404 like any unknown id, instead of Express's 400. In such a segment
 * each `%` is replaced with an encoded NUL, which no id contains.
 */
export const escapeMalformedPaths: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  const segments = path
    .split('/')
    .map((part) => (percentDecode(part) !== undefined ? part : part.replaceAll('%', '%00')));
  request.url = [segments.join('/'), ...query].join('?');
  next();
};
