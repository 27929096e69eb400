import { parse } from 'node:querystring';
import type { Request } from 'express';
import { ApiError } from '../output/api-error.js';

/** Parses a query string without a limit on the number of parameters. */
export const parseQuery = (text: string) => parse(text, '&', '=', { maxKeys: 0 });

/** The last value of a query parameter; undefined when it is absent. */
export function queryText(request: Request, name: string): string | undefined {
  const value: unknown = request.query[name];
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : undefined;
}

const filterName = /^filter\[(.*)\]$/;

/**
 * Throws a 400 that names the first unsupported `filter[…]` in the query, if there is one. A misspelt one, such as
 * `Filter[…]` or `filters[…]`, is one too: without it, the list would have more than was asked for.
 */
export function allowFilters(request: Request, ...supported: string[]): void {
  const filters = Object.keys(request.query).filter((key) => /^filter/i.test(key));
  const unsupported = filters.find((key) => !supported.includes(filterName.exec(key)?.[1] ?? ''));
  if (unsupported === undefined) return;
  throw new ApiError(
    400,
    `The filter "${unsupported}" is not supported. Supported: ${supported.join(', ') || 'none'}.`,
  );
}
