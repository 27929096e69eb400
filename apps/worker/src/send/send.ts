import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Outcome, readRetryAfter } from '@ringback/callbacks';
import { type Got, got } from 'got';
import { type ConnectionSettings, openConnections } from './connection.js';
import { type Timings, timingsOf } from './connection-times.js';
import { refusalOf } from './egress-refusal.js';
import { outcomeOf } from './outcome.js';
import { type Answer, collect } from './answer.js';
import { keepHeaders } from './answer-headers.js';
import { watchExchange } from './exchange.js';

export type CallbackRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** What came back from one call: the outcome, how long it took, and the first 1 KiB of the answer as text. */
export type Sent = {
  outcome: Outcome;
  durationMs: number;
  answer: string | null;
  /** The first headers of the answer. */
  headers: Record<string, string> | null;
  timings: Timings;
  /** What was connected to; null when no connection came about, and with a proxy, whose address is nobody's business. */
  remoteAddress: string | null;
};

export type Sender = {
  /**
   * Makes one call. Never throws for anything that the receiver does. `keepBytes` of the answer are kept; 1 KiB when
   * absent.
   */
  send(request: CallbackRequest, keepBytes?: number): Promise<Sent>;
  close(): void;
};

const keepAtMost = 1024;
const options = {
  ...({ method: 'POST', isStream: true, decompress: false, followRedirect: false, throwHttpErrors: false } as const),
  retry: { limit: 0 },
};

/**
 * The HTTP client. One deadline of `timeoutMs` covers everything from DNS to the response's headers, and the reading
 * of the body in what is left of it; the outcome stands as soon as the headers are in.
 */
export function openSender(settings: ConnectionSettings): Sender {
  const { agents: agent, close } = openConnections(settings);
  // What all calls have in common is read and checked once.
  const client = got.extend({ ...options, agent });
  const send = async (request: CallbackRequest, keepBytes = keepAtMost): Promise<Sent> => {
    const startedAt = performance.now();
    const refusal = refusalOf(request.url, settings.allow);
    if (refusal !== null) return refused(refusal);
    const terms = { client, request, keepBytes, isDirect: !settings.proxy, startedAt, timeoutMs: settings.timeoutMs };
    return call(terms);
  };
  return { send, close };
}

function refused(code: string): Sent {
  const timings = timingsOf(undefined, 0);
  const nothing = { durationMs: 0, answer: null, headers: null, timings, remoteAddress: null };
  return { outcome: { type: 'refused', code }, ...nothing };
}

function answered(status: number, { 'retry-after': text }: IncomingHttpHeaders): Outcome {
  const retryAfterSeconds = text === undefined ? null : readRetryAfter(text, new Date());
  return { type: 'response', status, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

type Terms = {
  client: Got;
  request: CallbackRequest;
  keepBytes: number;
  isDirect: boolean;
  startedAt: number;
  timeoutMs: number;
};

/** Makes one request, and never a second one. Rejects for trouble of our own only. */
function call({ client, request: { url, headers, body }, keepBytes, isDirect, ...time }: Terms): Promise<Sent> {
  const { startedAt, timeoutMs } = time;
  return new Promise((resolve, reject) => {
    const stream = client(url, { isStream: true, headers, body });
    let request: ClientRequest | undefined;
    let response: { outcome: Outcome; at: number; answer: Answer; headers: IncomingHttpHeaders } | undefined;
    const end = (outcome: Outcome) => {
      clearTimeout(deadline);
      // The status stands, whatever comes after it.
      resolve({
        outcome: response?.outcome ?? outcome,
        durationMs: Math.round(performance.now() - startedAt),
        answer: response?.answer.text() ?? null,
        headers: response ? keepHeaders(response.headers) : null,
        timings: timingsOf(request, startedAt, response?.at),
        remoteAddress: (isDirect && request?.socket?.remoteAddress) || null,
      });
      stream.destroy();
    };
    const deadline = setTimeout(() => end({ type: 'timeout', code: 'TIMEOUT' }), timeoutMs);
    stream.on('request', (made: ClientRequest) => {
      request = made;
      watchExchange(made, end);
    });
    stream.on('response', ({ statusCode: status, headers }: { statusCode: number; headers: IncomingHttpHeaders }) => {
      const outcome = answered(status, headers);
      response = { outcome, at: performance.now(), headers, answer: collect(stream, keepBytes, () => end(outcome)) };
    });
    stream.on('error', (error: unknown) => {
      try {
        end(outcomeOf(error));
      } catch (ours) {
        clearTimeout(deadline);
        reject(ours);
      }
    });
  });
}
