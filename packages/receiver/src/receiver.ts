import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Answer, giveAnswer } from './answer.js';
import type { Certificate } from './certificate.js';

/** One request as it came, its body byte for byte. */
export type ReceivedCall = {
  at: number;
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
};

export type Receiver = {
  /** `http://127.0.0.1:<port>`, or https with a certificate. */
  origin: string;
  /** How many connections there were so far. */
  connections(): number;
  /** Every call so far, oldest first. */
  calls: ReceivedCall[];
  /** Changes how the calls from now on are answered. */
  answerWith(answer: Chooser): void;
  /** Resolves with the calls as soon as there are `count` of them; rejects after `withinMs`. */
  waitFor(count: number, withinMs?: number): Promise<ReceivedCall[]>;
  close(): Promise<void>;
};

/** The same answer for every call, or one chosen by the call and its number (0 is the first). */
export type Chooser = Answer | ((call: ReceivedCall, index: number) => Answer);

export type ReceiverSettings = {
  port?: number;
  answer?: Chooser;
  certificate?: Certificate;
  /** Answers as soon as the request's headers are in, its body unread. */
  early?: boolean;
};

/** A real HTTP server on loopback that notes every call and answers as told; 200 when nothing was told. */
export async function openReceiver({
  port = 0,
  answer = { status: 200 },
  certificate,
  early = false,
}: ReceiverSettings = {}): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const waiting = new Set<() => void>();
  let choose: Chooser = answer;

  const take = (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => {
    const { method = '', url: path = '', headers } = request;
    const call = { at: Date.now(), method, path, headers, body };
    calls.push(call);
    for (const look of waiting) look();
    giveAnswer(typeof choose === 'function' ? choose(call, calls.length - 1) : choose, request, response);
  };
  const listener: http.RequestListener = (request, response) => {
    if (early) return take(request, response, Buffer.alloc(0));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => take(request, response, Buffer.concat(chunks)));
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
    answerWith: (next) => (choose = next),
    waitFor: (count, withinMs = 100_000) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (calls.length < count) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(calls.slice());
        };
        const give = () => {
          waiting.delete(look);
          reject(new Error(`${calls.length} of ${count} calls came within ${withinMs} ms`));
        };
        const timer = setTimeout(give, withinMs);
        waiting.add(look);
        look();
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
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen');
  return address;
}
