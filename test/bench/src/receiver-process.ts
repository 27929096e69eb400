// The receiver of a benchmark, in its own process. It responds with 200 and records the arrivals. It parses only the
// necessary parts of HTTP, so that it uses little CPU of the measured machine.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { now } from './clock.js';

/** A request of the benchmark. */
export type Request =
  | { type: 'report' }
  | { type: 'count' }
  | { type: 'reset' }
  | { type: 'behave'; faultPaths: FaultPaths; fail: 'none' | 'first' | 'all'; delayMs: number };
/** Paths that do not respond, reset the connection, or respond byte by byte and too slowly. */
export type FaultPaths = Partial<Record<'hang' | 'reset' | 'drip', string[]>>;
/** The arrivals, as `path id` in their order, and the times of their first bytes. Failed calls are left out. */
export type Report = { type: 'report'; keys: string[]; times: number[] };
/** The number of arrivals by the first segment of the path, and the number of calls, failed ones included. */
export type Count = { type: 'count'; arrived: Record<string, number>; calls: number };
export type Ready = { type: 'ready'; port: number };

let keys: string[] = [];
let times: number[] = [];
let arrived: Record<string, number> = {};
let calls = 0;
let faults = new Map<string, string>();
let failing: 'none' | 'first' | 'all' = 'none';
let delayMs = 0;
// The response takes longer than the time limit of a call.
const dripMs = 200;
const messageId = /"id":"([^"]+)"/;
const lengthHeader = /\r\ncontent-length: *(\d+)/i;
const firstAttempt = /\r\nx-ringback-attempt: *1\r/i;
const responses = {
  good: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  bad: 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n',
};

const server = createServer({ noDelay: true }, (socket) => {
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
});

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
  if (delayMs > 0) setTimeout(() => socket.write(response), delayMs);
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

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'ready', port } satisfies Ready);
});

process.on('message', (message: Request) => {
  if (message.type === 'report') process.send?.({ type: 'report', keys, times } satisfies Report);
  if (message.type === 'count') process.send?.({ type: 'count', arrived, calls } satisfies Count);
  if (message.type === 'behave') {
    [failing, delayMs] = [message.fail, message.delayMs];
    const entries = Object.entries(message.faultPaths);
    faults = new Map(entries.flatMap(([fault, paths]) => paths.map((path) => [path, fault] as const)));
  }
  if (message.type === 'reset') [keys, times, arrived, calls] = [[], [], {}, 0];
});
process.on('disconnect', () => process.exit(0));
