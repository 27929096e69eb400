import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** The faults that a receiver can simulate. */
export const faults = [
  'hang', // reads the request and never responds
  'hang-body', // responds with 200 and never ends the body
  'endless', // responds with 200 with an endless body
  'drip', // sends the status and the headers, one byte every 200 ms
  'drip-headers', // sends the status at once, then one header after another without end
  'drip-body', // responds with 200 and sends the body one byte at a time
  'reset', // resets the connection
  'half-close', // closes its side of the connection and keeps reading
  'garbage', // responds with text that is not HTTP
  'switching', // responds with 101 Switching Protocols
  'continue', // responds with 100 Continue endlessly
  'early-hints', // responds with 103, 102 and then 200
  'redirect', // responds with 302 to its own /redirected
  'headers', // responds with 200 with endless headers
  'many-headers', // responds with 200 with over 2,500 headers
  'long-header', // responds with 200 with a header of 64 KiB
  'cut-headers', // resets the connection in the middle of the headers
  'cut-body', // responds with 200 and resets the connection in the middle of the body
  'status-99', // responds with a status of two digits
  'status-999', // responds with a status that does not exist
  'two-lengths', // responds with 200 with Content-Length and Transfer-Encoding
  'body-after-204', // responds with 204 with a body
  'bad-chunk', // responds with 200 with a chunk whose size is not a number
  'gzip-bomb', // responds with 200 with about 64 KiB that unpack to 64 MiB
  'nul', // responds with 200 with a body that contains NUL and invalid UTF-8
] as const;

export type Fault = (typeof faults)[number];

/** How the receiver answers a request: with an HTTP response, which may be delayed, or with a fault. */
export type Answer = { status: number; body?: string; headers?: Record<string, string>; delayMs?: number } | Fault;

/** Sends the response, or simulates the fault. */
export function sendAnswer(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'string') return simulateFault(answer, request, response);
  setTimeout(() => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }, answer.delayMs ?? 0);
}

const ok = 'HTTP/1.1 200 OK\r\n';
const filler = Buffer.alloc(16 * 1024, 'x');

/** Simulates a fault. If Node's HTTP API does not allow the fault, writes to the socket directly. */
function simulateFault(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  const { socket, headers } = request;
  const location = `http://${headers.host}/redirected`;
  const simulations: Record<Fault, () => unknown> = {
    hang: () => {},
    'hang-body': () => response.writeHead(200).write('a beginning'),
    endless: () => writeForever(response.writeHead(200), filler),
    drip: () => writeSlowly(socket, `${ok}Content-Length: 0\r\nX-Slow: indeed\r\n\r\n`),
    'drip-headers': () => writeRepeatedly(socket, ok, 'X-More: y\r\n', 20),
    'drip-body': () => writeRepeatedly(socket, `${ok}Content-Length: 1000000\r\n\r\n`, 'x', 20),
    reset: () => socket.resetAndDestroy(),
    'half-close': () => socket.end(),
    garbage: () => socket.end('this is not HTTP\r\n\r\n'),
    switching: () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: telnet\r\nConnection: Upgrade\r\n\r\n'),
    continue: () => writeForever(socket, Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(500))),
    'early-hints': () => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeProcessing();
      response.writeHead(200).end();
    },
    redirect: () => response.writeHead(302, { location }).end(),
    headers: () => writeRepeatedly(socket, ok, `X-More: ${'y'.repeat(1000)}\r\n`, 1),
    'many-headers': () => socket.end(`${ok}Connection: close\r\n${'a:1\r\n'.repeat(2_500)}Content-Length: 0\r\n\r\n`),
    'long-header': () => socket.write(`${ok}X-Long: ${'y'.repeat(64 * 1024)}\r\nContent-Length: 0\r\n\r\n`),
    'cut-headers': () => socket.write(`${ok}Content-Le`, () => socket.resetAndDestroy()),
    'cut-body': () => socket.write(`${ok}Content-Length: 100\r\n\r\na beginning`, () => socket.resetAndDestroy()),
    'status-99': () => socket.write('HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n'),
    'status-999': () => response.writeHead(999, 'High').end(),
    'two-lengths': () => socket.write(`${ok}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    'body-after-204': () => socket.write('HTTP/1.1 204 No Content\r\n\r\nwhat is this'),
    'bad-chunk': () => socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\nmany\r\nbytes\r\n`),
    'gzip-bomb': () => response.writeHead(200, { 'content-encoding': 'gzip' }).end(createBomb()),
    nul: () => response.writeHead(200).end(Buffer.from([0x61, 0x00, 0x62, 0xff, 0xed, 0xa0, 0x80])),
  };
  simulations[fault]();
}

// Several gzip files in a row are a valid gzip file, so only 1 MiB has to be compressed.
const createBomb = () => {
  const part = gzipSync(Buffer.alloc(1024 * 1024));
  return Buffer.concat(Array.from({ length: 64 }, () => part));
};

/** Writes a chunk repeatedly, as fast as the stream accepts it. */
function writeForever(stream: ServerResponse | Socket, chunk: Buffer): void {
  const writeUntilFull = () => {
    while (!stream.destroyed && stream.write(chunk));
  };
  stream.on('drain', writeUntilFull);
  writeUntilFull();
}

function writeRepeatedly(socket: Socket, first: string, next: string, intervalMs: number): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(next), intervalMs);
  socket.once('close', () => clearInterval(timer));
}

function writeSlowly(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(text.charAt(sent++)), 200);
  socket.once('close', () => clearInterval(timer));
}
