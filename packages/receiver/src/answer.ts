import type { IncomingMessage, ServerResponse } from 'node:http';
import { misbehave } from './misbehave.js';

/** What can go wrong at a receiver, by name. */
export const faults = [
  'hang', // takes the request and never answers
  'hang-body', // answers 200 and never ends the body
  'endless', // answers 200 with a body without end
  'drip', // sends the headers a byte at a time, far too slowly
  'drip-headers', // sends the status at once, and a header a time without end
  'drip-body', // answers 200 and sends the body a byte at a time
  'reset', // breaks the connection
  'half-close', // ends its side of the connection and goes on reading
  'garbage', // answers something that is not HTTP
  'switching', // answers 101 Switching Protocols
  'continue', // answers 100 Continue without end
  'early-hints', // answers 103, 102 and then 200
  'redirect', // answers 302 to /redirected of itself
  'headers', // answers 200 with headers without end
  'many-headers', // answers 200 with 2,500 headers
  'long-header', // answers 200 with a header of 64 KiB
  'cut-headers', // breaks the connection in the midst of the headers
  'cut-body', // answers 200 and breaks the connection in the midst of the body
  'status-99', // answers with a status of two digits
  'status-999', // answers with a status that does not exist
  'two-lengths', // answers 200 with Content-Length and Transfer-Encoding
  'body-after-204', // answers 204 and sends a body all the same
  'bad-chunk', // answers 200 with a chunk whose size is no number
  'gzip-bomb', // answers 200 with 64 KiB that unpack to 64 MiB
  'nul', // answers 200 with a body that holds NUL and bytes that are no UTF-8
] as const;

export type Fault = (typeof faults)[number];

/** A status with a body, after a delay; or a fault. */
export type Answer = { status: number; body?: string; headers?: Record<string, string>; delayMs?: number } | Fault;

/** Answers a request in the given way. */
export function giveAnswer(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'string') return misbehave(answer, request, response);
  setTimeout(() => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  }, answer.delayMs ?? 0);
}
