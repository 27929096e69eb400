import type { Request } from 'express';
import { z } from 'zod';
import { queryText } from '../input/query.js';

export const defaultPerPage = 15;
const maxPerPage = 100;

// Page numbers above this count as this one, because larger numbers may lose digits. Either page is past the last one.
const maxExactNumber = 999_999_999_999_999;

/** Reads a positive integer from a query parameter. Any other value counts as absent. */
export function readPositiveInteger(request: Request, name: string): number | undefined {
  const text = queryText(request, name) ?? '';
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return number === 0 ? undefined : Math.min(number, maxExactNumber);
}

/** Reads `per_page`, the number of items on a page: 15 when it is absent or invalid, and at most 100. */
export const readPerPage = (request: Request): number =>
  Math.min(readPositiveInteger(request, 'per_page') ?? defaultPerPage, maxPerPage);

/** The query parameter of `readPerPage`, for the OpenAPI document. */
export const perPageQuery = {
  per_page: z
    .int()
    .min(1)
    .max(maxPerPage)
    .optional()
    .describe(`Items per page; ${defaultPerPage} when absent or invalid. A larger number counts as ${maxPerPage}.`),
};

/** The `per_page` that page URLs repeat: the effective value, if the request has the parameter. */
export const perPageForLinks = (request: Request): [string, string][] =>
  queryText(request, 'per_page') === undefined ? [] : [['per_page', String(readPerPage(request))]];

/** Encodes parameters as a query string. */
export const encodeQuery = (parameters: [string, string][]) =>
  parameters.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');
