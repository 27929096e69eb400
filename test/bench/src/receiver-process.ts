// The receiver of a benchmark, in its own process. It responds with 200 and records the arrivals. It parses only the
// necessary parts of HTTP, so that it uses little CPU of the measured machine.
import { once } from 'node:events';
import { constants } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { now } from './clock.js';

/** How the receiver listens. */
export type Listening = {
  /** The number of ports; 1 when absent. */
  ports?: number;
  /** Whether each response closes its connection. */
  closes?: boolean;
  /** Key and certificate for TLS; plain TCP when absent. */
  certificate?: { key: string; cert: string };
  /** Whether TLS sessions can be resumed; true when absent. */
  resumes?: boolean;
};

/** A request of the benchmark. */
export type Request =
  | { type: 'report' }
  | { type: 'count' }
  | { type: 'reset' }
  | { type: 'behave'; faultPaths: FaultPaths; fail: 'none' | 'first' | 'all'; delayMs: number };
/** Paths that do not respond, reset the connection, or respond byte by byte and too slowly. */
export type FaultPaths = Partial<Record<'hang' | 'reset' | 'drip', string[]>>;
/**
 * The arrivals, as `path id` in their order, and the times of their first bytes by `now()`. Failed calls are left out.
 */
export type Report = { type: 'report'; keys: string[]; times: number[] };
/**
 * The numbers of arrivals (by the first segment of the path), of calls including failed ones, of new connections, and
 * of connections that resumed a TLS session.
 */
export type Count = {
  type: 'count';
  arrived: Record<string, number>;
  calls: number;
  connections: number;
  resumed: number;
};
export type Ready = { type: 'ready'; ports: number[] };

const listening: Listening = JSON.parse(process.argv[2] ?? '{}');

let keys: string[] = [];
let times: number[] = [];
let arrived: Record<string, number> = {};
let calls = 0;
let connections = 0;
let resumed = 0;
let faults = new Map<string, string>();
let failing: 'none' | 'first' | 'all' = 'none';
let delayMs = 0;
// The response takes longer than the time limit of a call.
const dripMs = 200;
const messageId = /"id":"([^"]+)"/;
const lengthHeader = /\r\ncontent-length: *(\d+)/i;
const firstAttempt = /\r\nx-ringback-attempt: *1\r/i;
const headersEnd = `${listening.closes ? 'Connection: close\r\n' : ''}Content-Length: 0\r\n\r\n`;
const responses = {
  good: `HTTP/1.1 200 OK\r\n${headersEnd}`,
  bad: `HTTP/1.1 500 Internal Server Error\r\n${headersEnd}`,
};

function serve(socket: Socket): void {
  connections++;
  if (socket instanceof TLSSocket && socket.isSessionReused()) resumed++;
  let text = '';
  let firstByteAt = 0;
  socket.on('data', (chunk) => {
    if (text === '') firstByteAt = now();
    text += chunk.toString('latin1');
    for (let length = lengthOf(text); length > 0 && text.length >= length; length = lengthOf(text)) {
      receive(socket, text.slice(0, length), firstByteAt);
      text = text.slice(length);
    }
  });
  // A worker that is killed resets its connections.
  socket.on('error', () => socket.destroy());
}

/** The length of the first request in the text; 0 while its headers are not complete. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  return end + 4 + Number(lengthHeader.exec(text.slice(0, end))?.[1] ?? 0);
}

function receive(socket: Socket, request: string, at: number): void {
  const path = (request.slice(0, request.indexOf('\r')).split(' ')[1] ?? '').split('?', 1)[0] ?? '';
  calls++;
  const fault = faults.get(path);
  if (fault !== undefined) return misbehave(socket, fault);
  const end = request.indexOf('\r\n\r\n');
  const fails = failing === 'all' || (failing === 'first' && firstAttempt.test(request.slice(0, end)));
  if (!fails) {
    keys.push(`${path} ${messageId.exec(request.slice(end))?.[1] ?? ''}`);
    times.push(at);
    const group = path.split('/')[1] ?? '';
    arrived[group] = (arrived[group] ?? 0) + 1;
  }
  const response = fails ? responses.bad : responses.good;
  if (delayMs > 0) setTimeout(() => respond(socket, response), delayMs);
  else respond(socket, response);
}

function respond(socket: Socket, response: string): void {
  if (listening.closes) socket.end(response);
  else socket.write(response);
}

function misbehave(socket: Socket, fault: string): void {
  if (fault === 'reset') socket.resetAndDestroy();
  if (fault !== 'drip') return;
  const bytes = [...responses.good];
  const drip = setInterval(() => {
    const byte = bytes.shift();
    if (byte === undefined || socket.destroyed) clearInterval(drip);
    else socket.write(byte);
  }, dripMs);
}

/** Listens on a free port and resolves with it. */
async function listen({ certificate, resumes = true }: Listening): Promise<number> {
  const tls = { ...certificate, ...(resumes ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }) };
  const server = certificate
    ? createTlsServer({ noDelay: true, ...tls }, serve)
    : createServer({ noDelay: true }, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', (message: Request) => {
  if (message.type === 'report') process.send?.({ type: 'report', keys, times } satisfies Report);
  if (message.type === 'count') process.send?.({ type: 'count', arrived, calls, connections, resumed } satisfies Count);
  if (message.type === 'behave') {
    [failing, delayMs] = [message.fail, message.delayMs];
    const entries = Object.entries(message.faultPaths);
    faults = new Map(entries.flatMap(([fault, paths]) => paths.map((path) => [path, fault] as const)));
  }
  if (message.type === 'reset') {
    [keys, times, arrived] = [[], [], {}];
    [calls, connections, resumed] = [0, 0, 0];
  }
});
process.on('disconnect', () => process.exit(0));

const ports = await Promise.all(Array.from({ length: listening.ports ?? 1 }, () => listen(listening)));
process.send?.({ type: 'ready', ports } satisfies Ready);
