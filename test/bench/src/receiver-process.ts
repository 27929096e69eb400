// The receiver of a benchmark, a process of its own: answers 200, and notes what came when. It shares the machine with
// what is measured, so it is a plain socket that knows just enough of HTTP.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { now } from './clock.js';

/** What the benchmark asks of it. */
export type Request =
  | { type: 'report' }
  | { type: 'count' }
  | { type: 'reset' }
  | { type: 'behave'; ill: Ill; fail: 'none' | 'first' | 'all'; delayMs: number };
/** Paths that do not answer, cut their connection off, or answer byte by byte, too slowly. */
export type Ill = Partial<Record<'hang' | 'reset' | 'drip', string[]>>;
/** What arrived, as `path id`, in the order in which it came, and when its first byte did. Failed calls are left out. */
export type Report = { type: 'report'; keys: string[]; times: number[] };
/** How many of them by the first word of the path, and how many calls there were, failed ones included. */
export type Count = { type: 'count'; arrived: Record<string, number>; calls: number };
export type Ready = { type: 'ready'; port: number };

let keys: string[] = [];
let times: number[] = [];
let arrived: Record<string, number> = {};
let calls = 0;
let illness = new Map<string, string>();
let failing: 'none' | 'first' | 'all' = 'none';
let delayMs = 0;
// The answer takes longer than a call may.
const dripMs = 200;
const messageId = /"id":"([^"]+)"/;
const lengthHeader = /\r\ncontent-length: *(\d+)/i;
const firstAttempt = /\r\nx-ringback-attempt: *1\r/i;
const answers = {
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
      take(socket, text.slice(0, length), firstByteAt);
      text = text.slice(length);
    }
  });
  // Whoever is killed leaves its connections as they are.
  socket.on('error', () => socket.destroy());
});

/** The length of the first request in the text; 0 while its headers are not complete. */
function lengthOf(text: string): number {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return 0;
  return end + 4 + Number(lengthHeader.exec(text.slice(0, end))?.[1] ?? 0);
}

function take(socket: Socket, request: string, at: number): void {
  const path = (request.slice(0, request.indexOf('\r')).split(' ')[1] ?? '').split('?', 1)[0] ?? '';
  calls++;
  const ill = illness.get(path);
  if (ill !== undefined) return suffer(socket, ill);
  const end = request.indexOf('\r\n\r\n');
  const fails = failing === 'all' || (failing === 'first' && firstAttempt.test(request.slice(0, end)));
  if (!fails) {
    keys.push(`${path} ${messageId.exec(request.slice(end))?.[1] ?? ''}`);
    times.push(at);
    const place = path.split('/')[1] ?? '';
    arrived[place] = (arrived[place] ?? 0) + 1;
  }
  const answer = fails ? answers.bad : answers.good;
  if (delayMs > 0) setTimeout(() => socket.write(answer), delayMs);
  else socket.write(answer);
}

function suffer(socket: Socket, ill: string): void {
  if (ill === 'reset') socket.resetAndDestroy();
  if (ill !== 'drip') return;
  const bytes = [...answers.good];
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
    illness = new Map(Object.entries(message.ill).flatMap(([ill, paths]) => paths.map((path) => [path, ill] as const)));
  }
  if (message.type === 'reset') [keys, times, arrived, calls] = [[], [], {}, 0];
});
process.on('disconnect', () => process.exit(0));
