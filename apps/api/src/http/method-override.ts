import type { RequestHandler } from 'express';
import { queryText } from './query.js';

const methods = ['PUT', 'PATCH', 'DELETE'];

/**
 * Lets clients that cannot send PUT, PATCH or DELETE send a POST with the query or body parameter `_method`. Any other
 * value becomes a method that no path supports, so the request gets a 405 with `Allow`.
 */
export const overrideMethod: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  const bodyMethod: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, '_method') : undefined;
  const override = queryText(request, '_method') ?? bodyMethod;
  if (request.method === 'POST' && override !== undefined && override !== null && override !== '') {
    const method = typeof override === 'string' ? override.toUpperCase() : JSON.stringify(override);
    request.method = methods.includes(method) ? method : `_method=${method.slice(0, 20)}`;
  }
  next();
};
