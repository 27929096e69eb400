import http from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.js';

const limits = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  // How often Node looks for requests beyond those times; every 30 s unless it is told otherwise.
  connectionsCheckingInterval: 1_000,
};

/**
 * An HTTP server without an app yet. What Node refuses before any app sees it is answered in the shape of every other
 * error (behaviour: errors).
 */
export function createServer(options: http.ServerOptions = {}): http.Server {
  // Node's own answer to a missing Host header has no body; `requireHost` answers instead.
  const server = http.createServer({ ...limits, ...options, requireHostHeader: false });
  const answering = new WeakMap<Duplex, http.ServerResponse>();
  server.on('request', (request, response) => answering.set(request.socket, response));
  // An expectation that nobody knows may be ignored; Node's own answer has no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const begun = answering.get(socket);
    const isFree = begun === undefined || !begun.headersSent || begun.writableFinished;
    if (error.code !== 'ECONNRESET' && socket.writable && isFree) socket.write(answerTo(error.code));
    socket.destroy();
  });
  return server;
}

const refusals: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The request body is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

function answerTo(errorCode = ''): string {
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

/** 400 for a request with more than one Host header, and for one of HTTP/1.1 without any. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const { length } = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (length > 1) throw new ApiError(400, 'There is more than one Host header.');
  if (length === 0 && request.httpVersion === '1.1') throw new ApiError(400, 'The Host header is missing.');
  next();
};

/** No answer is kept by a cache: all of them are one caller's, or of this moment. */
export const forbidCaching: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** 508 for a callback: a webhook points at Ringback itself, which would go round in a circle. */
export const refuseCallbacks: RequestHandler = (request, _response, next) => {
  if (request.headers['x-ringback-delivery'] !== undefined)
    throw new ApiError(508, 'This is a callback of Ringback. Its webhook must not point back at Ringback.');
  next();
};

/**
 * Has a path segment whose percent-encoding is malformed lead to nothing, instead of failing the request: each `%` in it
 * becomes an encoded NUL, which no id holds.
 */
export const readBrokenPaths: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  const readable = path.split('/').map((part) => (isDecodable(part) ? part : part.replaceAll('%', '%00')));
  request.url = [readable.join('/'), ...query].join('?');
  next();
};

function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
