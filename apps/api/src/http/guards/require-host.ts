import type { RequestHandler } from 'express';
import { ApiError } from '../output/api-error.js';

/** Throws a 400 unless the request has exactly one Host header. In HTTP/1.0 it may be missing. */
export const requireHost: RequestHandler = (request, _response, next) => {
  const { length } = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (length > 1) throw new ApiError(400, 'There is more than one Host header.');
  if (length === 0 && request.httpVersion === '1.1') throw new ApiError(400, 'The Host header is missing.');
  next();
};
