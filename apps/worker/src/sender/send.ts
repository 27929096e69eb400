import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PeerCertificate } from 'node:tls';
import { type Outcome, readRetryAfter, refusalOf } from '@ringback/rules';
import { type Got, got, type Request } from 'got';
import { readCertificate, watchCertificate } from './certificate.js';
import {
  Agents,
  type AgentSettings,
  type OutgoingRequest,
  remoteAddressOf,
  startRequest,
  type Timings,
  timingsOf,
  usesProxy,
  waitsForConnection,
} from './connections.js';
import { ForbiddenAddressError } from './dial.js';
import { classifyError } from './classify-error.js';
import { keepHeaders, readBody, readHeadStatus, type ResponseBody } from './response.js';

type Failure = Exclude<Outcome, { type: 'response' }>;

/** The result of at most one HTTP request to a receiver. A refused request is not sent. */
export type SendResult = {
  outcome: Outcome;
  /** From the call of `send` to the end of the request, including the wait for a connection. */
  durationMs: number;
  /** The first part of the response's body as text; null when `responseHeaders` are. */
  responseBody: string | null;
  /** The first headers of the response; null without one, for the status 101, and when Node's parser refuses them. */
  responseHeaders: Record<string, string> | null;
  timings: Timings;
  /** The receiver's IP address; null without a connection, and when a proxy is used. */
  remoteAddress: string | null;
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
 * Sends requests to receivers. One deadline, `timeoutMs`, covers a request from the call of `send`, with the wait for a
 * connection and the DNS lookup, to the end of the response's body. When the headers of the response have arrived, its
 * status is the outcome, whatever happens to the body.
 */
export class Sender {
  readonly #settings: AgentSettings;
  readonly #agents: Agents;
  readonly #client = createClient();

  constructor(settings: AgentSettings) {
    this.#settings = settings;
    this.#agents = new Agents(settings);
  }

  /**
   * Sends at most one request, and keeps `keepBytes` of the response's body (default 1 KiB). Throws only for internal
   * errors.
   */
  async send(outgoing: OutgoingRequest, keepBytes = defaultKeepBytes): Promise<SendResult> {
    const startedAtMonotonicMs = performance.now();
    const { allow, proxy, timeoutMs } = this.#settings;
    const refusal = refusalOf(outgoing.url, allow);
    if (refusal !== null) return refusedResult(refusal);
    const [client, agents] = [this.#client, this.#agents];
    return new Exchange({ client, agents, outgoing, keepBytes, proxy, startedAtMonotonicMs, timeoutMs }).result;
  }

  close(): void {
    this.#agents.close();
  }
}

/**
 * A got with the options that all requests share, which it then validates once. It caches nothing, but copies its cache
 * options into the options of each request, which takes longer than all else in them; so they are emptied, for which
 * the defaults must be mutable (docs/adr/0015-got-without-cache-options.md).
 */
function createClient(): Got {
  const client = got.extend({ ...gotOptions, mutableDefaults: true });
  client.defaults.options.cacheOptions = {};
  return client;
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

type ExchangeSettings = {
  client: Got;
  agents: Agents;
  outgoing: OutgoingRequest;
  keepBytes: number;
  proxy: AgentSettings['proxy'];
  startedAtMonotonicMs: number;
  timeoutMs: number;
};

type Response = { outcome: Outcome; arrivedAtMonotonicMs: number; body: ResponseBody; headers: IncomingHttpHeaders };

const responseTimeout: Failure = { type: 'timeout', code: 'RESPONSE_TIMEOUT' };
const unset = () => undefined;

/** At most one HTTP request, and its response. */
class Exchange {
  /** Rejects only for internal errors. */
  readonly result: Promise<SendResult>;
  readonly #settings: ExchangeSettings;
  readonly #stream: Request;
  readonly #deadline: NodeJS.Timeout;
  #request: ClientRequest | undefined;
  #response: Response | undefined;
  #certificate: PeerCertificate | undefined;
  #resolve: (result: SendResult) => void = unset;
  #reject: (error: unknown) => void = unset;

  constructor(settings: ExchangeSettings) {
    this.#settings = settings;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { client, agents, outgoing, proxy, timeoutMs } = settings;
    const start = (url: URL) => startRequest(url, outgoing, { agents, proxy });
    this.#stream = client(outgoing.url, { isStream: true, body: outgoing.body, request: start });
    this.#stream.on('request', (request: ClientRequest) => this.#onRequest(request));
    this.#stream.on('response', (response: IncomingMessage) => this.#onResponse(response));
    this.#stream.on('error', (error: unknown) => this.#fail(error));
    // Timers run before sockets are read. If this process was stopped, as by a virtual machine that moves to another
    // host, the response may have arrived in time: `setImmediate` lets it be read first.
    this.#deadline = setTimeout(() => setImmediate(() => this.#end(responseTimeout)), timeoutMs);
  }

  #onRequest(request: ClientRequest): void {
    const { agents, outgoing } = this.#settings;
    this.#request = request;
    agents.idle.follow(request);
    if (outgoing.url.startsWith('https:')) watchCertificate(request, (received) => (this.#certificate = received));
    watchRequest(request, (outcome) => this.#end(outcome));
  }

  #onResponse({ statusCode: status = 0, headers }: IncomingMessage): void {
    const { proxy, keepBytes } = this.#settings;
    try {
      const ofProxy = this.#request && proxy?.outcomeOf(this.#request, status, headers);
      if (ofProxy) return this.#end(ofProxy);
    } catch (error) {
      return this.#fail(error);
    }
    const outcome = responseOutcome(status, headers);
    const arrivedAtMonotonicMs = performance.now();
    const body = readBody(this.#stream, { headers, keepBytes }, () => this.#end(outcome));
    this.#response = { outcome, arrivedAtMonotonicMs, headers, body };
  }

  #fail(error: unknown): void {
    clearTimeout(this.#deadline);
    const { proxy } = this.#settings;
    const request = this.#request;
    try {
      if (this.#response) return this.#end(this.#response.outcome);
      const outcome = failureOf(error, request);
      if (outcome.type !== 'reset' || !request) return this.#end(outcome);
      if (!proxy || !usesProxy(request)) return this.#endBroken(request, outcome);
      const answered = proxy.requireAnswer().then(() => this.#endBroken(request, outcome));
      answered.catch((failure: unknown) => this.#fail(failure));
    } catch (internalError) {
      this.#reject(internalError);
      this.#stream.destroy();
    }
  }

  #endBroken(request: ClientRequest, outcome: Outcome): void {
    if (request.reusedSocket) this.#settings.agents.idle.reportBroken(request);
    this.#end(outcome);
  }

  /** Ends with the outcome, unless a response has arrived: nothing after its headers changes it. */
  #end(outcome: Outcome): void {
    clearTimeout(this.#deadline);
    const { outgoing, proxy, startedAtMonotonicMs } = this.#settings;
    const [request, response, certificate] = [this.#request, this.#response, this.#certificate];
    const timings = timingsOf(request, startedAtMonotonicMs, response?.arrivedAtMonotonicMs);
    this.#resolve({
      outcome: response?.outcome ?? explain(outcome, { url: outgoing.url, proxy, request, timings, certificate }),
      durationMs: Math.round(performance.now() - startedAtMonotonicMs),
      responseBody: response?.body.text() ?? null,
      responseHeaders: response ? keepHeaders(response.headers) : null,
      timings,
      remoteAddress: remoteAddressOf(request),
    });
    this.#stream.destroy();
  }
}

/** What the error of a request says about its receiver. Throws for an internal error. */
function failureOf(error: unknown, request: ClientRequest | undefined): Outcome {
  // Since Node 24, a write to the closed connection can fail before the ForbiddenAddressError is reported.
  const socketError = request?.socket?.errored;
  const outcome = classifyError(socketError instanceof ForbiddenAddressError ? socketError : error);
  return outcome.type === 'protocol' && request ? statusDespite(outcome, request) : outcome;
}

/** The status counts although Node's parser refuses the headers after it. */
function statusDespite(failure: Failure, { socket }: ClientRequest): Outcome {
  const status = failure.code.startsWith('HPE_') && socket ? readHeadStatus(socket) : null;
  return status === null ? failure : { type: 'response', status };
}

type EndedRequest = {
  url: string;
  proxy: AgentSettings['proxy'];
  request: ClientRequest | undefined;
  timings: Timings;
  certificate: PeerCertificate | undefined;
};

/**
 * Adds to a timeout, and to a connection that broke, the phase in which it fell, and to a failure of TLS the
 * certificate if there was one.
 */
function explain(outcome: Outcome, ended: EndedRequest): Outcome {
  if (outcome.type === 'timeout') {
    const timeout = { type: outcome.type, code: timeoutCode(ended) };
    return timeout.code === 'RESPONSE_TIMEOUT' && isForwarded(ended) ? { ...timeout, phase: 'forwarding' } : timeout;
  }
  if (outcome.type === 'reset' && isInHandshake(ended)) return { ...outcome, phase: 'tls' };
  if (outcome.type !== 'tls' || !ended.certificate) return outcome;
  const certificate = readCertificate(ended.certificate);
  return certificate ? { ...outcome, certificate } : outcome;
}

/** Whether a proxy has the request, which may not have reached the receiver. */
const isForwarded = ({ url, proxy, request }: EndedRequest) =>
  !!proxy?.forwardsHttp && url.startsWith('http:') && !!request && usesProxy(request);

/** Whether the connection was open, but its TLS was not. */
const isInHandshake = ({ url, request, timings }: EndedRequest) =>
  url.startsWith('https:') && !request?.reusedSocket && timings.connectMs !== null && timings.tlsMs === null;

/** The code of the first phase that did not end. A proxy resolves the name itself. */
function timeoutCode({ url, proxy, request, timings }: EndedRequest): string {
  if (request?.reusedSocket) return 'RESPONSE_TIMEOUT';
  if (!request || waitsForConnection(request)) return 'CONNECT_TIMEOUT';
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isResolvedHere =
    isIP(host) === 0 && !proxy?.isUsedFor(host, Number(port || (protocol === 'https:' ? 443 : 80)));
  if (timings.connectMs === null) return isResolvedHere && timings.dnsMs === null ? 'DNS_TIMEOUT' : 'CONNECT_TIMEOUT';
  return protocol === 'https:' && timings.tlsMs === null ? 'TLS_TIMEOUT' : 'RESPONSE_TIMEOUT';
}

const maxInterimResponses = 100;

/**
 * Ends a request in two cases that might otherwise end as a timeout: 101 Switching Protocols, which counts as a failed
 * response, and more than 100 interim responses such as 100 Continue.
 */
function watchRequest(request: ClientRequest, end: (outcome: Outcome) => void): void {
  let interimCount = 0;
  request.on('information', () => {
    if (++interimCount > maxInterimResponses) end({ type: 'protocol', code: 'TOO_MANY_INTERIM_RESPONSES' });
  });
  request.once('upgrade', ({ statusCode = 101 }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    end({ type: 'response', status: statusCode });
  });
}
