import http from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { ApiError } from './api-error.js';

const limits = { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 };

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
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ];
  return [`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}`, ...headers, '', body].join('\r\n');
}

/** 400 for a request of HTTP/1.1 without a Host header. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const isMissing = request.httpVersion === '1.1' && request.headers.host === undefined;
  next(isMissing ? new ApiError(400, 'The Host header is missing.') : undefined);
};
