import type { Request } from 'express';
import { ApiError } from './api-error.js';

/** The first value of a query parameter, which may be repeated; undefined when it is absent. */
export function queryText(request: Request, name: string): string | undefined {
  const value: unknown = request.query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

const filterName = /^filter\[(.*)\]$/;

/** Throws a 400 that names the first `filter[…]` of a request that is none of those supported. */
export function allowFilters(request: Request, ...supported: string[]): void {
  const filters = Object.keys(request.query).filter((key) => key === 'filter' || key.startsWith('filter['));
  const unknown = filters.find((key) => !supported.includes(filterName.exec(key)?.[1] ?? ''));
  if (unknown === undefined) return;
  throw new ApiError(400, `The filter "${unknown}" is not supported. Supported: ${supported.join(', ') || 'none'}.`);
}
