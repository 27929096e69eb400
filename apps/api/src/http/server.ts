import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';

const checkEveryMs = 1_000;
const serverTimeouts = {
  // Node's own time for a whole request also runs while Ringback stores a part of it. `#checkBodies` replaces it.
  requestTimeout: 0,
  headersTimeout: 10_000,
  // How often Node checks that; the default is 30 s.
  connectionsCheckingInterval: checkEveryMs,
};
const defaultBodyTimeoutMs = 30_000;

// How long an ended connection stays open for reading. A request that arrives on a closed one makes the kernel reset
// it, and a reset may discard the refusal that the client has not read yet.
const lingerMs = 1_000;
// A client that has just connected may be about to send its first request.
const closeUnusedAfterMs = 2_000;
// Less than the 10 s after which the process exits, so that there is time to close the database after the server.
const closeAllAfterMs = 9_000;

/**
 * The newest request on a connection with its response, how long its body has been waited for, and the bytes that had
 * been read when the response was finished.
 */
type Exchange = {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  waitedMs: number;
  readBytes: number | null;
};

type ApiServerOptions = http.ServerOptions & {
  /** How long an idle connection stays open. Responses announce it in the header `Keep-Alive`. */
  keepAliveMs: number;
  /** How long a client may take to send a body; 30 s when absent. */
  bodyTimeoutMs?: number;
};

/**
 * An HTTP server, to which the app is attached later. A request that Node itself refuses gets an error in the format of
 * all others (docs/reference/api.md#errors), unless a response on the same connection is partly sent.
 *
 * No client has to guess whether a request was processed: the last response before the server ends a connection says
 * `Connection: close`, an idle connection ends with a 408 that answers a request which is just on its way, and a client
 * may end its side of the connection before it gets its response.
 */
export class ApiServer extends http.Server {
  readonly #exchanges = new Map<Duplex, Exchange | null>();
  readonly #bodyTimeoutMs: number;
  readonly #prototypes: { request: http.IncomingMessage; response: http.ServerResponse };
  #isStopping = false;

  constructor({ keepAliveMs, bodyTimeoutMs = defaultBodyTimeoutMs, ...options }: ApiServerOptions) {
    class IncomingMessage extends http.IncomingMessage {}
    class ServerResponse<Request extends http.IncomingMessage> extends http.ServerResponse<Request> {}
    const messages = { IncomingMessage, ServerResponse };
    // Node's own response to a missing Host header has no body. `requireHost` sends a complete one.
    super({ ...serverTimeouts, ...messages, ...options, keepAliveTimeout: keepAliveMs, requireHostHeader: false });
    this.#bodyTimeoutMs = bodyTimeoutMs;
    this.#prototypes = { request: IncomingMessage.prototype, response: ServerResponse.prototype };
    // Without this, Node ends the connection when the client ends its side. No documented option says so.
    Object.assign(this, { httpAllowHalfOpen: true });
    this.on('connection', (socket) => this.#follow(socket));
    this.on('request', (request, response) => this.#followResponse(request, response));
    const checking = setInterval(() => this.#checkBodies(), checkEveryMs).unref();
    this.on('close', () => clearInterval(checking));
    // HTTP allows a server to ignore an unknown expectation. Node's own response (417) has no body.
    this.on('checkExpectation', (request, response) => this.emit('request', request, response));
    // A connection that was idle for too long. Without this listener, Node would close it.
    this.on('timeout', (socket: Socket) => endIdle(socket));
    this.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const response = this.#exchanges.get(socket)?.response;
      const isMidResponse = response !== undefined && response.headersSent && !response.writableFinished;
      if (error.code !== 'ECONNRESET' && socket.writable && !isMidResponse) socket.write(formatRefusal(error.code));
      socket.destroy();
    });
  }

  /**
   * Lets the app answer the requests. Express gives each request and response the app's prototype, and after such a
   * change V8 reads their fields slowly. So they have it from the start.
   */
  attach(app: Express): void {
    for (const kind of ['request', 'response'] as const) {
      const prototype = this.#prototypes[kind];
      Object.setPrototypeOf(prototype, app[kind]);
      Object.assign(app, { [kind]: prototype });
    }
    this.on('request', app);
  }

  #follow(socket: Socket): void {
    this.#exchanges.set(socket, null);
    socket.on('close', () => this.#exchanges.delete(socket));
    socket.on('end', () => announceEnd(this.#exchanges.get(socket)?.response));
  }

  #followResponse(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { socket } = request;
    const exchange: Exchange = { request, response, waitedMs: 0, readBytes: null };
    this.#exchanges.set(socket, exchange);
    if (this.#isStopping) announceEnd(response);
    response.on('finish', () => {
      exchange.readBytes = socket.bytesRead;
      // Its headers may have been sent before the server stopped.
      if (this.#isStopping && this.#exchanges.get(socket) === exchange) socket.end();
    });
  }

  /** Refuses bodies that arrive too slowly. While the buffer of a body is full, the client waits for Ringback. */
  #checkBodies(): void {
    for (const [socket, exchange] of this.#exchanges) {
      if (exchange === null || exchange.request.complete) continue;
      const { readableLength, readableHighWaterMark } = exchange.request;
      if (readableLength >= readableHighWaterMark) continue;
      exchange.waitedMs += checkEveryMs;
      if (exchange.waitedMs < this.#bodyTimeoutMs) continue;
      const error = Object.assign(new Error('the body arrived too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      this.emit('clientError', error, socket);
    }
  }

  /**
   * Stops the server without cutting off requests: it accepts no more connections, ends idle ones at once and busy ones
   * after their response. After 2 s it closes connections on which no byte arrived, after 9 s all others. Resolves when
   * all are closed.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const [socket, exchange] of this.#exchanges) {
      // More bytes are the start of the next request, which gets its response.
      const isIdle = socket instanceof Socket && exchange?.readBytes === socket.bytesRead;
      if (isIdle) endIdle(socket);
      else announceEnd(exchange?.response);
    }
    const closed = once(this, 'close');
    this.close();
    const closeUnused = () => {
      for (const socket of this.#exchanges.keys())
        if (socket instanceof Socket && socket.bytesRead === 0) socket.destroy();
    };
    setTimeout(closeUnused, closeUnusedAfterMs).unref();
    setTimeout(() => this.closeAllConnections(), closeAllAfterMs).unref();
    await closed;
  }
}

/** Says in a response that is not sent yet that it is the last one on its connection. */
function announceEnd(response: http.ServerResponse | undefined): void {
  if (response?.headersSent === false) response.setHeader('Connection', 'close');
}

/**
 * Ends an idle connection with a 408. A client whose next request is on its way learns from it that the request was not
 * processed (RFC 9110, 15.5.9); others drop the connection.
 */
function endIdle(socket: Socket): void {
  socket.pause();
  socket.end(formatRefusal('IDLE'));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

const refusals: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The request body is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  IDLE: [408, 'The connection was idle for too long. The request was not processed; send it again.'],
};

/** The bytes of a complete HTTP response, as text. */
function formatRefusal(errorCode = ''): string {
  const [code, message] = refusals[errorCode] ?? [400, 'The request is not valid HTTP.'];
  const status = code === 413 ? 'PayloadTooLarge' : 'BadRequest';
  const body = JSON.stringify({ status, code, message });
  const headers = [
    'Connection: close',
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ];
  return [`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}`, ...headers, '', body].join('\r\n');
}
