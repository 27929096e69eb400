import type { ClientRequest } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { AllowList, Outcome } from '@ringback/callbacks';
import { got } from 'got';
import { isRefusedHost, openConnections } from './connection.js';
import { outcomeOf } from './outcome.js';

export type CallbackRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** What came back from one call: the outcome, how long it took, and the first 1 KiB of the answer as text. */
export type Sent = { outcome: Outcome; durationMs: number; answer: string | null };

export type Sender = {
  /** Makes one call. Never throws for anything that the receiver does. `keepBytes` of the answer are kept; 1 KiB when absent. */
  send(request: CallbackRequest, keepBytes?: number): Promise<Sent>;
  close(): void;
};

const readAtMost = 64 * 1024;
const keepAtMost = 1024;

/**
 * The HTTP client. One deadline of `timeoutMs` covers everything from DNS to the response's headers, and the reading
 * of the body in what is left of it; the outcome stands as soon as the headers are in.
 */
export function openSender({ timeoutMs, allow }: { timeoutMs: number; allow: AllowList }): Sender {
  const connections = openConnections(allow);
  const options = {
    agent: connections.agent,
    decompress: false,
    followRedirect: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
  };

  const send = (request: CallbackRequest, keepBytes = keepAtMost): Promise<Sent> => {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    if (isRefusedHost(new URL(request.url).hostname, allow)) {
      return Promise.resolve({ outcome: { type: 'refused', code: 'REFUSED_ADDRESS' }, durationMs: 0, answer: null });
    }
    return new Promise((resolve) => {
      const { url, headers, body } = request;
      const stream = got.stream.post(url, { ...options, headers, body });
      let status: number | undefined;
      let answer: Answer | undefined;
      const end = (outcome: Outcome) => {
        clearTimeout(deadline);
        resolve({ outcome, durationMs: took(), answer: answer?.text() ?? null });
        stream.destroy();
      };
      const endWith = (failure: Outcome) => end(status === undefined ? failure : { type: 'response', status });
      const deadline = setTimeout(() => endWith({ type: 'timeout', code: 'TIMEOUT' }), timeoutMs);
      stream.on('request', (call: ClientRequest) => call.on('upgrade', (response, socket: Duplex) => {
        // got waits for ever after 101 Switching Protocols, which is a failed attempt like any other status.
        socket.destroy();
        end({ type: 'response', status: response.statusCode ?? 101 });
      }));
      stream.on('response', (response: { statusCode: number }) => {
        status = response.statusCode;
        answer = collect(stream, keepBytes, () => endWith({ type: 'response', status: response.statusCode }));
      });
      stream.on('error', (error: unknown) => endWith(outcomeOf(error)));
    });
  };
  return { send, close: () => connections.close() };
}

type Answer = { text(): string };

/** Reads the body up to the bounds; `done` is called at its end or at the bound. */
function collect(stream: Readable, keepBytes: number, done: () => void): Answer {
  const kept: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - bytes));
    bytes += chunk.length;
    if (bytes > readAtMost) done();
  });
  stream.on('end', done);
  return { text: () => Buffer.concat(kept).toString('utf8') };
}
