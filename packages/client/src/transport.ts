import {
  ApiError,
  ConnectionError,
  parseJson,
  requestIdOf,
  TimeoutError,
  toApiError,
  toConnectionError,
} from './errors.js';

export type ClientSettings = {
  /** The base URL with its version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** An access token of an account, or a platform token. */
  token: string;
  /** The account for which a platform token with the scope `act` acts. */
  accountId?: string | undefined;
  /** How often a failed request is repeated, if that is safe; 2 when absent. */
  maxRetries?: number | undefined;
  /** The milliseconds that a request may take, without its retries; 30,000 when absent. */
  timeout?: number | undefined;
  /** Replaces the global `fetch`, for a proxy or for tests. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** Options of one call. They come before those of the client. */
export type RequestOptions = {
  /** Ends the call. It then rejects with the signal's reason, an `AbortError`. */
  signal?: AbortSignal | undefined;
  /** The milliseconds that each request may take. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /** The account for which a platform token with the scope `act` acts. */
  accountId?: string | undefined;
  /** `Idempotency-Key`, for calls that take it. */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `X-Request-Id`. */
  headers?: Record<string, string> | undefined;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Query parameters. An object becomes `name[key]=…`, and what is undefined or null is left out. */
export type Query = Record<string, unknown>;

export type Call = {
  method: Method;
  /** The path under the base URL, such as `/developer/webhooks`. */
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /**
   * Whether the request can be sent twice without doing more than once. When absent, only a POST can't, unless it has
   * an `idempotencyKey`.
   */
  isIdempotent?: boolean | undefined;
  options?: RequestOptions | undefined;
};

/** What a response has beside its `data`. */
export type LastResponse = {
  readonly status: number;
  readonly headers: Headers;
  /** `X-Request-Id`. The server's log has it too. */
  readonly requestId: string | undefined;
  /** What the server ignored or noticed in the request, such as an unknown field. */
  readonly warnings: readonly string[];
};

/** The JSON of a successful response. */
export type Envelope = { data: unknown; meta?: unknown };

const defaultTimeoutMs = 30_000;
const defaultMaxRetries = 2;
const minBackoffMs = 500;
const maxBackoffMs = 8_000;
/** A longer `Retry-After` is left to the caller: the window of the server's request limit is a minute. */
const maxRetryAfterSeconds = 60;

/** Sends requests, repeats those that failed and can be repeated, and turns failures into errors. */
export class Transport {
  readonly #settings: ClientSettings;
  readonly #baseUrl: string;

  constructor(settings: ClientSettings) {
    this.#baseUrl = checkBaseUrl(settings.baseUrl);
    if (typeof settings.token !== 'string' || settings.token === '') throw new TypeError('token is empty');
    this.#settings = settings;
  }

  /** Sends a call until it succeeds. Rejects with the last error when it can't be repeated. */
  async send(call: Call): Promise<{ envelope: Envelope; lastResponse: LastResponse }> {
    const { options = {}, method } = call;
    const maxRetries = options.maxRetries ?? this.#settings.maxRetries ?? defaultMaxRetries;
    const isIdempotent = call.isIdempotent ?? (method !== 'POST' || options.idempotencyKey !== undefined);
    let mayBeProcessed = false;
    for (let retry = 0; ; retry++) {
      try {
        return await this.#sendOnce(call);
      } catch (error) {
        // An earlier request, whose response was lost, has deleted it.
        if (method === 'DELETE' && mayBeProcessed && error instanceof ApiError && error.type === 'NotFound')
          return { envelope: { data: [] }, lastResponse: lastResponseOf(error, {}) };
        const isProcessed = wasProcessed(error);
        if (retry >= maxRetries || isProcessed === 'yes' || (isProcessed === 'perhaps' && !isIdempotent)) throw error;
        const delayMs = delayBefore(retry, error);
        if (delayMs === undefined) throw error;
        mayBeProcessed ||= isProcessed === 'perhaps';
        await sleep(delayMs, options.signal);
      }
    }
  }

  async #sendOnce({ method, path, query, body, options = {} }: Call) {
    const { signal } = options;
    signal?.throwIfAborted();
    const timeoutMs = options.timeout ?? this.#settings.timeout ?? defaultTimeoutMs;
    const request = { baseUrl: this.#baseUrl, name: `${method} ${path}` };
    const controller = new AbortController();
    const abort = () => controller.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abort();
    }, timeoutMs);
    signal?.addEventListener('abort', abort);
    let response: Response | undefined;
    try {
      response = await (this.#settings.fetch ?? globalThis.fetch)(`${this.#baseUrl}${path}${formatQuery(query)}`, {
        method,
        headers: this.#headers(options, body !== undefined),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would turn a POST into a GET.
        redirect: 'manual',
        signal: controller.signal,
      });
      return readResponse(response, await response.text(), request);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      signal?.throwIfAborted();
      if (isLate)
        throw new TimeoutError(`no complete response from ${this.#baseUrl} within ${timeoutMs} ms (${request.name})`, {
          baseUrl: this.#baseUrl,
          cause: error,
        });
      throw toConnectionError(error, this.#baseUrl, { hasResponse: response !== undefined });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  #headers({ accountId = this.#settings.accountId, idempotencyKey, headers }: RequestOptions, hasBody: boolean) {
    return {
      Accept: 'application/json',
      Authorization: `Bearer ${this.#settings.token}`,
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
      ...(accountId === undefined ? {} : { 'X-Account-Id': accountId }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...headers,
    };
  }
}

function checkBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' ? parseUrl(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TypeError('baseUrl is not a URL of http or https');
  if (url.username !== '' || url.password !== '') throw new TypeError('baseUrl must not have a user or password');
  if (url.search !== '' || url.hash !== '') throw new TypeError('baseUrl must not have a query or fragment');
  return url.href.replace(/\/+$/, '');
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The result of a successful response. Throws an ApiError for any other. */
function readResponse(response: Response, text: string, request: { baseUrl: string; name: string }) {
  const envelope = parseJson(text);
  if (!response.ok || typeof envelope !== 'object' || envelope === null || !('data' in envelope))
    throw toApiError(response, text, request);
  return { envelope: envelope satisfies Envelope, lastResponse: lastResponseOf(response, envelope) };
}

function lastResponseOf({ status, headers }: { status: number; headers: Headers }, envelope: object): LastResponse {
  const warnings: unknown = 'warnings' in envelope ? envelope.warnings : undefined;
  return { status, headers, requestId: requestIdOf(headers), warnings: Array.isArray(warnings) ? warnings : [] };
}

/**
 * Whether the server did what a failed request asked for. It refuses a 408 and a 429 before it does anything, and says
 * so of a 503 with `X-Request-Processed: no`. `yes` also stands for what another try would not change.
 */
function wasProcessed(error: unknown): 'no' | 'perhaps' | 'yes' {
  if (error instanceof ConnectionError) return error.isUnsent ? 'no' : 'perhaps';
  if (!(error instanceof ApiError)) return 'yes';
  const { status, headers } = error;
  if (status === 408 || status === 429 || headers.get('x-request-processed') === 'no') return 'no';
  // A 502 and a 504 are of a proxy that has no response of the server.
  return status === 502 || status === 503 || status === 504 ? 'perhaps' : 'yes';
}

/**
 * The milliseconds before a retry: `Retry-After`, but at least 0.5 s, doubled with each retry up to 8 s. Some of it is
 * random, so that clients which failed together do not come back together. Undefined: too long to wait.
 */
function delayBefore(retry: number, error: unknown): number | undefined {
  const backoffMs = Math.min(maxBackoffMs, minBackoffMs * 2 ** retry) * (0.5 + Math.random() / 2);
  const seconds = (error instanceof ApiError && error.retryAfter) || 0;
  if (seconds > maxRetryAfterSeconds) return undefined;
  return Math.max(backoffMs, seconds * 1_000 + (Math.random() * backoffMs) / 2);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function formatQuery(query: Query = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !(value instanceof Date)
      ? Object.entries(value).map(([key, inner]): [string, unknown] => [`${name}[${key}]`, inner])
      : [[name, value] as [string, unknown]],
  );
  const given = entries.filter(([, value]) => value !== undefined && value !== null);
  const parameters = new URLSearchParams();
  for (const [name, value] of given)
    parameters.append(name, value instanceof Date ? value.toISOString() : String(value));
  return given.length === 0 ? '' : `?${parameters}`;
}
