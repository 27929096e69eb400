import type { RequestHandler } from 'express';
import { queryText } from './query.js';

/** `_method` as a query or body parameter turns a POST into PUT or DELETE, for clients that cannot send those. */
export const overrideMethod: RequestHandler = (request, _response, next) => {
  const body: unknown = request.body;
  const inBody: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, '_method') : undefined;
  const wanted = queryText(request, '_method') ?? inBody;
  const method = typeof wanted === 'string' ? wanted.toUpperCase() : '';
  if (request.method === 'POST' && (method === 'PUT' || method === 'DELETE')) request.method = method;
  next();
};
