import type { IncomingMessage, ServerResponse } from 'node:http';

/** What can go wrong at a receiver, by name. */
export const faults = [
  'hang', // takes the request and never answers
  'hang-body', // answers 200 and never ends the body
  'endless', // answers 200 with a body without end
  'drip', // sends the headers a byte at a time, far too slowly
  'reset', // breaks the connection
  'garbage', // answers something that is not HTTP
  'switching', // answers 101 Switching Protocols
  'redirect', // answers 302 to /redirected of itself
  'headers', // answers 200 with headers without end
] as const;

export type Fault = (typeof faults)[number];

/** A status with a body, after a delay; or a fault. */
export type Answer = { status: number; body?: string; headers?: Record<string, string>; delayMs?: number } | Fault;

/** Answers a request in the given way. */
export function giveAnswer(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'string') return misbehave[answer](request, response);
  setTimeout(() => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }, answer.delayMs ?? 0);
}

const filler = Buffer.alloc(16 * 1024, 'x');

const misbehave: Record<Fault, (request: IncomingMessage, response: ServerResponse) => void> = {
  hang: () => {},
  'hang-body': (_request, response) => {
    response.writeHead(200);
    response.write('a beginning');
  },
  endless: (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(filler));
    };
    response.on('drain', more);
    more();
  },
  drip: ({ socket }) => trickle(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Slow: indeed\r\n\r\n', 200),
  reset: ({ socket }) => socket.resetAndDestroy(),
  garbage: ({ socket }) => socket.end('this is not HTTP\r\n\r\n'),
  switching: ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: telnet\r\nConnection: Upgrade\r\n\r\n');
  },
  redirect: ({ headers }, response) => {
    response.writeHead(302, { location: `http://${headers.host}/redirected` });
    response.end();
  },
  headers: ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write(`X-More: ${'y'.repeat(1000)}\r\n`), 1);
    socket.once('close', () => clearInterval(timer));
  },
};

function trickle(socket: IncomingMessage['socket'], text: string, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(text.charAt(sent++)), everyMs);
  socket.once('close', () => clearInterval(timer));
}
