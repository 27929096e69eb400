import type { RequestHandler } from 'express';
import { queryText } from './query.js';

const overridable = ['PUT', 'PATCH', 'DELETE'];

/**
 * For clients that cannot send PUT, PATCH or DELETE: the header `X-HTTP-Method-Override`, or `_method` in the query or
 * the parsed body, of a POST stands for one of these methods. As in Laravel, the header comes first. Any other value, unless it is empty or null, becomes a method that no path supports: a 405 with
 * `Allow`.
 */
export const overrideMethod: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  const bodyMethod: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, '_method') : undefined;
  const override = request.get('X-HTTP-Method-Override') ?? queryText(request, '_method') ?? bodyMethod;
  if (request.method === 'POST' && override !== undefined && override !== null && override !== '') {
    const method = typeof override === 'string' ? override.toUpperCase() : JSON.stringify(override);
    request.method = overridable.includes(method) ? method : `_method=${method.slice(0, 20)}`;
  }
  next();
};
