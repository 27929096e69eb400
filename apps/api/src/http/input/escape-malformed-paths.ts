import type { RequestHandler } from 'express';
import { percentDecode } from '@ringback/runtime';

/**
 * A path with malformed percent-encoding gets a 404 like any unknown id, instead of Express's 400. In such a segment
 * each `%` is replaced with an encoded NUL, which no id contains.
 */
export const escapeMalformedPaths: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  const segments = path
    .split('/')
    .map((part) => (percentDecode(part) !== undefined ? part : part.replaceAll('%', '%00')));
  request.url = [segments.join('/'), ...query].join('?');
  next();
};
