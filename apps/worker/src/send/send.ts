import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Outcome, readRetryAfter } from '@ringback/rules';
import { type Got, got } from 'got';
import { type AgentSettings, createAgents } from './agents.js';
import { type Timings, timingsOf } from './connection-times.js';
import { refusalOf, ForbiddenAddressError } from './forbidden-address.js';
import { classifyError } from './classify-error.js';
import { type ResponseBody, readBody } from './response-body.js';
import { keepHeaders } from './response-headers.js';
import { watchRequest } from './watch-request.js';

export type OutgoingRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** The result of at most one HTTP request to a receiver. A refused request is not sent. */
export type SendResult = {
  outcome: Outcome;
  /** From the call of `send` to the end of the request, including the wait for a connection. */
  durationMs: number;
  /** The first part of the response's body as text; null without a response, and for the status 101. */
  responseBody: string | null;
  /** The first headers of the response; null without a response, and for the status 101. */
  responseHeaders: Record<string, string> | null;
  timings: Timings;
  /** The receiver's IP address; null without a connection, and when a proxy is used. */
  remoteAddress: string | null;
};

export type Sender = {
  /**
   * Sends at most one request, and keeps `keepBytes` of the response's body (default 1 KiB). Throws only for internal
   * errors.
   */
  send(request: OutgoingRequest, keepBytes?: number): Promise<SendResult>;
  close(): void;
};

const defaultKeepBytes = 1024;
const gotOptions = {
  method: 'POST',
  isStream: true,
  decompress: false,
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
} as const;

/**
 * Creates the HTTP client. One deadline, `timeoutMs`, covers a request from the call of `send`, with the wait for a
 * connection and the DNS lookup, to the end of the response's body. When the headers of the response have arrived, its
 * status is the outcome, whatever happens to the body.
 */
export function createSender(settings: AgentSettings): Sender {
  const { agents: agent, close } = createAgents(settings);
  // With `extend`, got validates the shared options once instead of for each request.
  const client = got.extend({ ...gotOptions, agent });
  const send = async (request: OutgoingRequest, keepBytes = defaultKeepBytes): Promise<SendResult> => {
    const startedAtMonotonicMs = performance.now();
    const refusal = refusalOf(request.url, settings.allow);
    if (refusal !== null) return refusedResult(refusal);
    const { timeoutMs } = settings;
    return sendOnce({
      client,
      outgoing: request,
      keepBytes,
      isDirect: !settings.proxy,
      startedAtMonotonicMs,
      timeoutMs,
    });
  };
  return { send, close };
}

function refusedResult(code: string): SendResult {
  const timings = timingsOf(undefined, 0);
  const noResponse = { durationMs: 0, responseBody: null, responseHeaders: null, timings, remoteAddress: null };
  return { outcome: { type: 'refused', code }, ...noResponse };
}

function responseOutcome(status: number, { 'retry-after': text }: IncomingHttpHeaders): Outcome {
  const retryAfterSeconds = text === undefined ? null : readRetryAfter(text, new Date());
  return { type: 'response', status, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}

type SendOptions = {
  client: Got;
  outgoing: OutgoingRequest;
  keepBytes: number;
  isDirect: boolean;
  startedAtMonotonicMs: number;
  timeoutMs: number;
};

/** Sends at most one request. Rejects only for internal errors. */
function sendOnce(options: SendOptions): Promise<SendResult> {
  const { client, outgoing, keepBytes, isDirect, startedAtMonotonicMs, timeoutMs } = options;
  const { url, headers, body } = outgoing;
  return new Promise((resolve, reject) => {
    const stream = client(url, { isStream: true, headers, body });
    let request: ClientRequest | undefined;
    let response:
      { outcome: Outcome; arrivedAtMonotonicMs: number; body: ResponseBody; headers: IncomingHttpHeaders } | undefined;
    const end = (outcome: Outcome) => {
      clearTimeout(deadline);
      // Errors after the headers do not change the outcome.
      resolve({
        outcome: response?.outcome ?? outcome,
        durationMs: Math.round(performance.now() - startedAtMonotonicMs),
        responseBody: response?.body.text() ?? null,
        responseHeaders: response ? keepHeaders(response.headers) : null,
        timings: timingsOf(request, startedAtMonotonicMs, response?.arrivedAtMonotonicMs),
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
      const outcome = responseOutcome(status, headers);
      response = {
        outcome,
        arrivedAtMonotonicMs: performance.now(),
        headers,
        body: readBody(stream, keepBytes, () => end(outcome)),
      };
    });
    stream.on('error', (error: unknown) => {
      try {
        // Since Node 24, a write to the closed connection can fail before the ForbiddenAddressError is reported.
        const socketError = request?.socket?.errored;
        end(classifyError(socketError instanceof ForbiddenAddressError ? socketError : error));
      } catch (internalError) {
        clearTimeout(deadline);
        reject(internalError);
      }
    });
  });
}
