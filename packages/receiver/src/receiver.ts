import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, giveAnswer } from './answer.js';

/** One request as it came, its body byte for byte. */
export type ReceivedCall = {
  at: number;
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
};

export type Receiver = {
  /** `http://127.0.0.1:<port>` */
  origin: string;
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

/** A real HTTP server on loopback that notes every call and answers as told; 200 when nothing was told. */
export async function openReceiver({ port = 0, answer = { status: 200 } }: { port?: number; answer?: Chooser } = {}): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const waiting = new Set<() => void>();
  let choose: Chooser = answer;

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = { at: Date.now(), method, path, headers, body: Buffer.concat(chunks) };
      calls.push(call);
      for (const look of waiting) look();
      giveAnswer(typeof choose === 'function' ? choose(call, calls.length - 1) : choose, request, response);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    origin: `http://127.0.0.1:${addressOf(server).port}`,
    calls,
    answerWith: (next) => (choose = next),
    waitFor: (count, withinMs = 10_000) =>
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
