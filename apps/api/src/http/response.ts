import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { isTransientDatabaseError, isStatementTimeout } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import { isQueueUnavailable } from '@ringback/queue';
import { stringifyExactJson } from '@ringback/rules';

/** `code` is also the HTTP status, 200 by default. */
type ExtraFields = { code?: number; links?: object; meta?: object; warnings?: string[] };

/** Sends a success: `{status: "OK", code, message, data}` and the extra fields (docs/reference/api.md#responses). */
export function sendSuccess(response: Response, message: string, data: unknown, extraFields: ExtraFields = {}): void {
  const body = { status: 'OK', code: 200, message, data, ...extraFields };
  response.status(body.code).type('json').send(stringifyExactJson(body));
}

/** The `data` of a response that has none. */
export const emptyList = z.array(z.unknown()).max(0);

export const timestampSchema = z.iso.datetime({ precision: 6 });

/** Formats a time in UTC with six fractional digits and `Z`. */
export function formatTimestamp(time: Date): string;
export function formatTimestamp(time: Date | null): string | null;
export function formatTimestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString().replace('Z', '000Z');
}

/** The `status` of an error body, by HTTP status code. `server.ts` adds 408 and 431. */
export const errorTypes = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'ValidationError',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'ServiceUnavailable',
  508: 'LoopDetected',
} as const;

export type ErrorCode = keyof typeof errorTypes;
export type FieldErrors = Record<string, string[]>;

/** The error response to a request: an HTTP status, a message, and for 422 the messages of each field. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly errors?: FieldErrors,
    /** The page to which the portal offers a link. It is the field `return_url` of the body. */
    readonly returnUrl?: string,
  ) {
    super(message);
  }

  /** The body of the response: `{status, code, message}`, and `errors` and `return_url` if they are given. */
  toBody() {
    const body = { status: errorTypes[this.code], code: this.code, message: this.message };
    return {
      ...body,
      ...(this.errors && { errors: this.errors }),
      ...(this.returnUrl && { return_url: this.returnUrl }),
    };
  }
}

/** A 503 for a request that certainly was not processed. */
export class UnprocessedError extends ApiError {
  constructor(message: string) {
    super(503, message);
  }
}

/** Creates a 422. Its message is the first error and how many others there are (docs/reference/api.md#errors). */
export function validationError(errors: FieldErrors): ApiError {
  const [first = 'The given data was invalid.', ...others] = Object.values(errors).flat();
  const suffix = others.length === 0 ? '' : ` (and ${others.length} more error${others.length === 1 ? '' : 's'})`;
  return new ApiError(422, `${first}${suffix}`, errors);
}

const retryAfterSeconds = '5';

/**
 * Sends every error in the format of `ApiError`, unless the headers have been sent. A 500 and a 503 are logged with
 * their details, which the response does not show.
 */
export function sendErrors(log: Logger): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const apiError = toApiError(error);
    if (apiError.code === 500 || apiError.code === 503) {
      const logEvent = apiError.code === 503 ? 'http.unavailable' : 'http.failed';
      const requestId = response.get('X-Request-Id');
      log.error(logEvent, { method: request.method, path: request.path, request_id: requestId, ...errorFields(error) });
    }
    if (apiError.code === 503) response.set('Retry-After', retryAfterSeconds);
    // A client may then repeat the request, whatever it does.
    const isUnprocessed = error instanceof UnprocessedError || response.locals.isAuthenticating === true;
    if (apiError.code === 503 && isUnprocessed) response.set('X-Request-Processed', 'no');
    response.status(apiError.code).json(apiError.toBody());
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStatementTimeout(error))
    return new ApiError(503, 'The request took too long and was cancelled. Try again later.');
  if (isTransientDatabaseError(error) || isQueueUnavailable(error)) {
    return new ApiError(503, 'The service is unavailable for the moment. Try again later.');
  }
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  // Client errors of Express, such as a path that cannot be decoded.
  return typeof status === 'number' && status < 500
    ? new ApiError(400, 'The request is malformed.')
    : new ApiError(500, 'Something went wrong on our side.');
}

export const sendNotFound: RequestHandler = () => {
  throw new ApiError(404, 'Not Found.');
};

/**
 * The last handler of a path, which supports only `methods`. It refuses a request with a 405 and `Allow`. OPTIONS gets
 * a 204 with `Allow`.
 */
export function allowOnly(...methods: string[]): RequestHandler {
  const allow = methods.join(', ');
  return (request, response, next) => {
    response.set('Allow', allow);
    if (request.method === 'OPTIONS') return void response.status(204).end();
    next(new ApiError(405, `The ${request.method} method is not supported here. Supported: ${allow}.`));
  };
}
