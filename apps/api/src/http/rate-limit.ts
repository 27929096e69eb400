import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';

/** So many calls a minute for each access token; says what is left, and when to come back (behaviour: rate limit). */
export function limitRate(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    legacyHeaders: true,
    standardHeaders: false,
    keyGenerator: (request) => callerOf(request).tokenId,
    handler: (_request, _response, next) => next(new ApiError(429, 'Too Many Attempts.')),
  });
}
