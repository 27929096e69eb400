import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Answer, sendAnswer } from './answer.js';
import type { Certificate } from './certificate.js';

/** A received request, with its body byte for byte. With `answersBeforeBody` the body is empty. */
export type ReceivedCall = {
  /** When the request had arrived, as by `Date.now()`. */
  at: number;
  method: string;
  /** The path with the query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
};

export type Receiver = {
  /** `http://127.0.0.1:<port>`, or https with a certificate. */
  origin: string;
  /** The number of connections so far. */
  connections(): number;
  /** All received requests, oldest first. */
  calls: ReceivedCall[];
  /** Changes how the requests that arrive from now on are answered. */
  answerWith(answer: AnswerSource): void;
  /** Resolves with the received requests when there are at least `count`. Rejects after `withinMs`. */
  waitFor(count: number, withinMs?: number): Promise<ReceivedCall[]>;
  close(): Promise<void>;
};

/** The answer to all requests, or a function that chooses it for a request and its index (0 for the first). */
type AnswerSource = Answer | ((call: ReceivedCall, index: number) => Answer);

export type ReceiverSettings = {
  port?: number;
  answer?: AnswerSource;
  certificate?: Certificate;
  /** Answers when the request's headers have arrived, without reading the body. */
  answersBeforeBody?: boolean;
};

/**
 * Starts a server on 127.0.0.1, for HTTPS if there is a certificate and else for HTTP. It records all requests and
 * answers them, by default with status 200.
 */
export async function startReceiver({
  port = 0,
  answer = { status: 200 },
  certificate,
  answersBeforeBody = false,
}: ReceiverSettings = {}): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const waiters = new Set<() => void>();
  let source: AnswerSource = answer;

  const handle = (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => {
    const { method = '', url: path = '', headers } = request;
    const call = { at: Date.now(), method, path, headers, body };
    calls.push(call);
    for (const check of waiters) check();
    sendAnswer(typeof source === 'function' ? source(call, calls.length - 1) : source, request, response);
  };
  const listener: http.RequestListener = (request, response) => {
    if (answersBeforeBody) return handle(request, response, Buffer.alloc(0));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks)));
  };
  const server = certificate ? https.createServer(certificate, listener) : http.createServer(listener);
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${addressOf(server).port}`,
    connections: () => connections,
    calls,
    answerWith: (next) => (source = next),
    waitFor: (count, withinMs = 100_000) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (calls.length < count) return;
          clearTimeout(timer);
          waiters.delete(check);
          resolve(calls.slice());
        };
        const onTimeout = () => {
          waiters.delete(check);
          reject(new Error(`${calls.length} of ${count} calls arrived within ${withinMs} ms`));
        };
        const timer = setTimeout(onTimeout, withinMs);
        waiters.add(check);
        check();
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

function addressOf(server: http.Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver is not listening');
  return address;
}
