import type { RequestHandler } from 'express';
import { percentDecode } from '@ringback/process';

/**
 * Gives a path with malformed percent-encoding the 404 of an unknown id, instead of Express's 400. It replaces each `%`
 * in a malformed segment of the path with an encoded NUL, which no id contains.
 */
export const escapeMalformedPaths: RequestHandler = (request, _response, next) => {
  const [path = '', ...query] = request.url.split('?');
  const segments = path
    .split('/')
    .map((segment) => (percentDecode(segment) !== undefined ? segment : segment.replaceAll('%', '%00')));
  request.url = [segments.join('/'), ...query].join('?');
  next();
};
