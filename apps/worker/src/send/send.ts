import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Outcome, readRetryAfter } from '@ringback/callbacks';
import { got } from 'got';
import { type Agents, type ConnectionSettings, openConnections } from './connection.js';
import { type Timings, timingsOf } from './connection-times.js';
import { refusalOf } from './egress-refusal.js';
import { outcomeOf } from './outcome.js';
import { type Answer, collect } from './answer.js';
import { keepHeaders } from './answer-headers.js';
import { type Exchange, watchExchange } from './exchange.js';

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
const options = { decompress: false, followRedirect: false, retry: { limit: 0 }, throwHttpErrors: false };

/**
 * The HTTP client. One deadline of `timeoutMs` covers everything from DNS to the response's headers, and the reading
 * of the body in what is left of it; the outcome stands as soon as the headers are in.
 */
export function openSender(settings: ConnectionSettings): Sender {
  const connections = openConnections(settings);
  const send = async (request: CallbackRequest, keepBytes = keepAtMost): Promise<Sent> => {
    const startedAt = performance.now();
    const refusal = refusalOf(request.url, settings.allow);
    if (refusal !== null) return refused(refusal);
    const isDirect = !settings.proxy;
    const terms = { request, keepBytes, isDirect, deadlineAt: startedAt + settings.timeoutMs };
    const called = await call({ ...terms, agent: connections.kept });
    // The receiver had left the connection before the request came: that is no attempt.
    const { stale: _stale, ...sent } = called.stale ? await call({ ...terms, agent: connections.fresh }) : called;
    return { ...sent, durationMs: Math.round(performance.now() - startedAt) };
  };
  return { send, close: () => connections.close() };
}

function refused(code: string): Sent {
  const timings = timingsOf(undefined, 0);
  const nothing = { durationMs: 0, answer: null, headers: null, timings, remoteAddress: null };
  return { outcome: { type: 'refused', code }, ...nothing };
}

function answered(status: number, { 'retry-after': text }: IncomingHttpHeaders): Outcome {
  const retryAfterS = text === undefined ? null : readRetryAfter(text, new Date());
  return { type: 'response', status, ...(retryAfterS === null ? {} : { retryAfterS }) };
}

type Terms = { agent: Agents; request: CallbackRequest; keepBytes: number; isDirect: boolean; deadlineAt: number };
/** `stale`: a connection that had been idle for a second broke before a byte of a response came. */
type Called = Omit<Sent, 'durationMs'> & { stale: boolean };

/** Makes one request. Rejects for trouble of our own only. */
function call({ agent, request: { url, headers, body }, keepBytes, isDirect, deadlineAt }: Terms): Promise<Called> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const stream = got.stream.post(url, { ...options, agent, headers, body });
    let exchange: Exchange | undefined;
    let response: { outcome: Outcome; at: number; answer: Answer; headers: IncomingHttpHeaders } | undefined;
    const end = (outcome: Outcome, stale = false) => {
      clearTimeout(deadline);
      const timings = timingsOf(exchange?.request, startedAt, response?.at);
      const remoteAddress = (isDirect && exchange?.request.socket?.remoteAddress) || null;
      // The status stands, whatever comes after it.
      resolve({
        outcome: response?.outcome ?? outcome,
        answer: response?.answer.text() ?? null,
        headers: response ? keepHeaders(response.headers) : null,
        timings,
        remoteAddress,
        stale,
      });
      stream.destroy();
    };
    const deadline = setTimeout(() => end({ type: 'timeout', code: 'TIMEOUT' }), deadlineAt - startedAt);
    stream.on('request', (request: ClientRequest) => (exchange = watchExchange(request, end)));
    stream.on('response', ({ statusCode: status, headers }: { statusCode: number; headers: IncomingHttpHeaders }) => {
      const outcome = answered(status, headers);
      response = { outcome, at: performance.now(), headers, answer: collect(stream, keepBytes, () => end(outcome)) };
    });
    stream.on('error', (error: unknown) => {
      try {
        const outcome = outcomeOf(error);
        end(outcome, !response && outcome.type === 'reset' && exchange?.wasLeft());
      } catch (ours) {
        clearTimeout(deadline);
        reject(ours);
      }
    });
  });
}
