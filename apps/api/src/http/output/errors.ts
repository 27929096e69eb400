import type { ErrorRequestHandler, RequestHandler } from 'express';
import { isTransientDatabaseError, isStatementTimeout } from '@ringback/ledger';
import { isQueueUnavailable } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/process';
import { ApiError } from './api-error.js';

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
      log.error(logEvent, { method: request.method, path: request.path, ...errorFields(error) });
    }
    if (apiError.code === 503) response.set('Retry-After', retryAfterSeconds);
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
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return new ApiError(413, 'The request body is too large.');
  if (type === 'encoding.unsupported')
    return new ApiError(415, 'The content encoding of the request is not supported.');
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  // Client errors of Express and its body parser, such as an incomplete body, or one that does not match its
  // Content-Encoding.
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
