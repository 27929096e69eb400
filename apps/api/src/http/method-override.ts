import type { RequestHandler } from 'express';
import { queryText } from './query.js';

const methods = ['PUT', 'PATCH', 'DELETE'];

/**
 * `_method` as a query or body parameter turns a POST into PUT, PATCH or DELETE, for clients that cannot send those. Any
 * other value becomes a method that no path has, so that the answer is a 405 with `Allow`.
 */
export const overrideMethod: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  const inBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, '_method') : undefined;
  const wanted = queryText(request, '_method') ?? inBody;
  if (request.method === 'POST' && wanted !== undefined && wanted !== null && wanted !== '') {
    const method = typeof wanted === 'string' ? wanted.toUpperCase() : JSON.stringify(wanted);
    request.method = methods.includes(method) ? method : `_method=${method.slice(0, 20)}`;
  }
  next();
};
