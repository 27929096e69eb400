/** What all errors of the client have in common. `instanceof RingbackError` tells them from errors of your own code. */
export class RingbackError extends Error {
  override name = 'RingbackError';
  /** The base URL of the client whose request failed. */
  readonly baseUrl: string;

  constructor(message: string, { baseUrl, cause }: { baseUrl: string; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.baseUrl = baseUrl;
  }
}

/** There is no complete response: the server could not be reached, or the connection broke. */
export class ConnectionError extends RingbackError {
  override name = 'ConnectionError';
  /** Whether the request certainly was not sent, so that it can be repeated whatever it does. */
  readonly isUnsent: boolean;

  constructor(
    message: string,
    { isUnsent = false, ...rest }: { baseUrl: string; cause?: unknown; isUnsent?: boolean },
  ) {
    super(message, rest);
    this.isUnsent = isUnsent;
  }
}

/** The response took longer than `timeout`. The request may have been processed. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

/**
 * The `status` of an error response, such as `NotFound` for a 404 (docs/reference/api.md#errors).
 * `UnexpectedResponse`: the response is not from Ringback, so something between answered, or the base URL is wrong.
 */
export type ApiErrorType =
  | 'BadRequest'
  | 'Unauthenticated'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'Conflict'
  | 'Gone'
  | 'PreconditionFailed'
  | 'PayloadTooLarge'
  | 'UnsupportedMediaType'
  | 'ValidationError'
  | 'TooManyRequests'
  | 'ServerError'
  | 'ServiceUnavailable'
  | 'LoopDetected'
  | 'UnexpectedResponse';

type ApiErrorFields = {
  baseUrl: string;
  status: number;
  type: ApiErrorType;
  requestId: string | undefined;
  retryAfter: number | undefined;
  errors: Record<string, string[]>;
  headers: Headers;
};

/** The server refused the request, or failed. */
export class ApiError extends RingbackError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  readonly type: ApiErrorType;
  /** `X-Request-Id` of the response. The server's log has it too. */
  readonly requestId: string | undefined;
  /** The seconds after which the server asked to try again. */
  readonly retryAfter: number | undefined;
  /** The messages of each field, for a 422; else empty. */
  readonly errors: Record<string, string[]>;
  readonly headers: Headers;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, { baseUrl: fields.baseUrl });
    this.status = fields.status;
    this.type = fields.type;
    this.requestId = fields.requestId;
    this.retryAfter = fields.retryAfter;
    this.errors = fields.errors;
    this.headers = fields.headers;
  }
}

/** 401: the token is missing, unknown, revoked or of the wrong kind. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}

/** 403: the token lacks the scope, or the account is suspended. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}

/** 404: there is no such resource, or it belongs to another account. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** 422: `errors` has the messages of each field. */
export class ValidationError extends ApiError {
  override name = 'ValidationError';
}

/** 429, and the retries are used up or `retryAfter` is too long to wait. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError';
}

/** 503, and the retries are used up or the request must not be repeated, because it may have been processed. */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError';
}

const classes: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  422: ValidationError,
  429: RateLimitError,
  503: UnavailableError,
};

type ErrorBody = { status: ApiErrorType; message: string; errors?: Record<string, string[]> };

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof fieldOf(body, 'message') === 'string' && typeof fieldOf(body, 'status') === 'string';
}

/**
 * The error for a response. `text` is its body; `request` names what was requested, such as `GET /developer/webhooks`.
 */
export function toApiError(response: Response, text: string, request: { baseUrl: string; name: string }): ApiError {
  const { status, headers } = response;
  const body = parseJson(text);
  const isOurs = isErrorBody(body) && status >= 400;
  const Class = classes[status] ?? ApiError;
  return new Class(isOurs ? body.message : unexpectedMessage(response, request), {
    baseUrl: request.baseUrl,
    status,
    type: isOurs ? body.status : 'UnexpectedResponse',
    requestId: requestIdOf(headers),
    retryAfter: parseRetryAfter(headers.get('retry-after')),
    errors: isOurs ? (body.errors ?? {}) : {},
    headers,
  });
}

function unexpectedMessage(
  { status, headers }: Response,
  { baseUrl, name }: { baseUrl: string; name: string },
): string {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    return `${baseUrl} redirects to ${location}: use the address that it redirects to as baseUrl`;
  return (
    `unexpected response from ${baseUrl} (${name}, status ${status}): is it the API's address, and is the server as ` +
    'new as this client?'
  );
}

/** `X-Request-Id` of a response. */
export const requestIdOf = (headers: Headers): string | undefined => headers.get('x-request-id') ?? undefined;

/** The seconds of `Retry-After`, which is a number or an HTTP date. */
function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The codes that only a connection which was never made has. A code such as ETIMEDOUT may also come from an established
 * connection, so it counts if the system call `connect` failed with it.
 */
const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** The error for a request whose `fetch` rejected, or whose response broke off. */
export function toConnectionError(error: unknown, baseUrl: string, { hasResponse = false } = {}): ConnectionError {
  // Not `instanceof Error`: in Jest, the errors of fetch are of another realm.
  const cause = fieldOf(error, 'cause') ?? error;
  const failures = failuresOf(cause);
  const reason = String(fieldOf(cause, 'message') || failures.map(codeOf).join(', '));
  const isUnsent = !hasResponse && failures.every(isOfConnecting);
  const what = isUnsent ? 'cannot connect to' : 'the connection broke before there was a complete response from';
  return new ConnectionError(`${what} ${baseUrl}${reason === '' ? '' : `: ${reason}`}`, {
    baseUrl,
    cause: error,
    isUnsent,
  });
}

/** The error itself, or those of the attempts at each address of a name. */
function failuresOf(cause: unknown): unknown[] {
  const errors = fieldOf(cause, 'errors');
  return Array.isArray(errors) && errors.length > 0 ? errors.flatMap(failuresOf) : [cause];
}

const codeOf = (failure: unknown) => String(fieldOf(failure, 'code') ?? '');
const isOfConnecting = (failure: unknown) =>
  fieldOf(failure, 'syscall') === 'connect' || unsentCodes.includes(codeOf(failure));

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
