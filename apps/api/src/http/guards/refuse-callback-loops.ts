import type { RequestHandler } from 'express';
import { ApiError } from '../output/api-error.js';

/** Refuses Ringback's own callbacks with a 508, because a webhook that points to this API could cause a loop. */
export const refuseCallbackLoops: RequestHandler = (request, _response, next) => {
  if (request.headers['x-ringback-delivery'] !== undefined)
    throw new ApiError(508, 'This is a callback of Ringback. Its webhook must not point back at Ringback.');
  next();
};
