import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Outcome, readRetryAfter } from '@ringback/callbacks';
import { type Got, got } from 'got';
import { type AgentSettings, createAgents } from './agents.js';
import { type Timings, timingsOf } from './connection-times.js';
import { refusalOf } from './egress-refusal.js';
import { outcomeOf } from './outcome.js';
import { type ResponseBody, readBody } from './response-body.js';
import { keepHeaders } from './response-headers.js';
import { watchRequest } from './watch-request.js';

export type CallbackRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** The result of one call. `answer` is the first part of the response's body as text. */
export type Sent = {
  outcome: Outcome;
  durationMs: number;
  answer: string | null;
  /** The first headers of the response. */
  headers: Record<string, string> | null;
  timings: Timings;
  /** The address of the receiver; null when there was no connection, and with a proxy, whose address is not shown. */
  remoteAddress: string | null;
};

export type Sender = {
  /** Makes one call and keeps `keepBytes` of the response's body (default 1 KiB). Throws only for trouble of our own. */
  send(request: CallbackRequest, keepBytes?: number): Promise<Sent>;
  close(): void;
};

const defaultKeepBytes = 1024;
const options = {
  ...({ method: 'POST', isStream: true, decompress: false, followRedirect: false, throwHttpErrors: false } as const),
  retry: { limit: 0 },
};

/**
 * Creates the HTTP client. One deadline of `timeoutMs` covers a call from DNS to the headers of its response; the body is
 * read in the time that remains. The headers decide the outcome.
 */
export function createSender(settings: AgentSettings): Sender {
  const { agents: agent, close } = createAgents(settings);
  // got validates options that all calls share once.
  const client = got.extend({ ...options, agent });
  const send = async (request: CallbackRequest, keepBytes = defaultKeepBytes): Promise<Sent> => {
    const startedAt = performance.now();
    const refusal = refusalOf(request.url, settings.allow);
    if (refusal !== null) return refused(refusal);
    const callOptions = {
      client,
      request,
      keepBytes,
      isDirect: !settings.proxy,
      startedAt,
      timeoutMs: settings.timeoutMs,
    };
    return call(callOptions);
  };
  return { send, close };
}

function refused(code: string): Sent {
  const timings = timingsOf(undefined, 0);
  const noResponse = { durationMs: 0, answer: null, headers: null, timings, remoteAddress: null };
  return { outcome: { type: 'refused', code }, ...noResponse };
}

function answered(status: number, { 'retry-after': text }: IncomingHttpHeaders): Outcome {
  const retryAfterSeconds = text === undefined ? null : readRetryAfter(text, new Date());
  return { type: 'response', status, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

type CallOptions = {
  client: Got;
  request: CallbackRequest;
  keepBytes: number;
  isDirect: boolean;
  startedAt: number;
  timeoutMs: number;
};

/** Makes exactly one request. Rejects only for trouble of our own. */
function call({ client, request: { url, headers, body }, keepBytes, isDirect, ...time }: CallOptions): Promise<Sent> {
  const { startedAt, timeoutMs } = time;
  return new Promise((resolve, reject) => {
    const stream = client(url, { isStream: true, headers, body });
    let request: ClientRequest | undefined;
    let response: { outcome: Outcome; at: number; body: ResponseBody; headers: IncomingHttpHeaders } | undefined;
    const end = (outcome: Outcome) => {
      clearTimeout(deadline);
      // Errors after the headers do not change the outcome.
      resolve({
        outcome: response?.outcome ?? outcome,
        durationMs: Math.round(performance.now() - startedAt),
        answer: response?.body.text() ?? null,
        headers: response ? keepHeaders(response.headers) : null,
        timings: timingsOf(request, startedAt, response?.at),
        remoteAddress: (isDirect && request?.socket?.remoteAddress) || null,
      });
      stream.destroy();
    };
    const deadline = setTimeout(() => end({ type: 'timeout', code: 'TIMEOUT' }), timeoutMs);
    stream.on('request', (created: ClientRequest) => {
      request = created;
      watchRequest(created, end);
    });
    stream.on('response', ({ statusCode: status, headers }: { statusCode: number; headers: IncomingHttpHeaders }) => {
      const outcome = answered(status, headers);
      response = { outcome, at: performance.now(), headers, body: readBody(stream, keepBytes, () => end(outcome)) };
    });
    stream.on('error', (error: unknown) => {
      try {
        end(outcomeOf(error));
      } catch (ownError) {
        clearTimeout(deadline);
        reject(ownError);
      }
    });
  });
}
