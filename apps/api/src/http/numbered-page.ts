import type { Request } from 'express';
import { z } from 'zod';
import { queryText } from './query.js';

export type PageRequest = { page: number; perPage: number };

const defaultPerPage = 15;
const maxPerPage = 100;

// A larger number would lose digits. It is past the last page in any case.
const maxExactNumber = 999_999_999_999_999;
const parseWholeNumber = (text: string | undefined) =>
  text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), maxExactNumber) : 0;

/** Reads `page`, by default 1, and `per_page`, by default 15 and at most 100. An invalid value counts as absent. */
export function readPage(request: Request): PageRequest {
  const page = parseWholeNumber(queryText(request, 'page')) || 1;
  const perPage = Math.min(parseWholeNumber(queryText(request, 'per_page')) || defaultPerPage, maxPerPage);
  return { page, perPage };
}

/** The query parameters of `readPage`, for the OpenAPI document. */
export const pageQuery = {
  page: z.int().min(1).optional().describe('The number of the page. Any other value means page 1.'),
  per_page: z.int().min(1).max(maxPerPage).optional().describe(`Items per page; ${defaultPerPage} when absent.`),
};

const pageLink = z.object({
  url: z.string().nullable(),
  label: z.string().describe('A page number, `...` for a gap, `&laquo; Previous` or `Next &raquo;`.'),
  active: z.boolean(),
});
type PageLink = z.infer<typeof pageLink>;

const pageLinks = z.object({
  first: z.string(),
  last: z.string(),
  prev: z.string().nullable(),
  next: z.string().nullable(),
});

const pageMeta = z.object({
  current_page: z.int(),
  from: z.int().nullable(),
  last_page: z.int(),
  links: z.array(pageLink),
  path: z.string(),
  per_page: z.int(),
  to: z.int().nullable(),
  total: z.int(),
});

/** The schemas of the fields that a list with pages has in addition to `data`. */
export const numberedPageSchemas = {
  links: pageLinks.meta({ id: 'PageLinks' }),
  meta: pageMeta.meta({ id: 'PageMeta' }),
};

/** `links` and `meta` for an example that fits on one page. */
export const exampleNumberedPage = (path: string, count: number) =>
  numberedPageFields(`{base_url}${path}`, [], { page: 1, perPage: defaultPerPage, total: count, count });

/**
 * The page numbers to link, with `null` for a gap, as Laravel chooses them with three pages on each side
 * (docs/behaviour.md: pages).
 */
export function pageWindow(current: number, last: number): (number | null)[] {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  if (last < 14) return range(1, last);
  if (current <= 7) return [...range(1, 10), null, last - 1, last];
  if (current > last - 7) return [1, 2, null, ...range(last - 9, last)];
  return [1, 2, null, ...range(current - 3, current + 3), null, last - 1, last];
}

/**
 * `links` and `meta` of a list, in the shape of Laravel's LengthAwarePaginator. Every page URL repeats the query
 * parameters `linkQuery`, with `page` last.
 */
export function numberedPageFields(
  path: string,
  linkQuery: [string, string][],
  { page, perPage, total, count }: PageRequest & { total: number; count: number },
): { links: z.infer<typeof pageLinks>; meta: z.infer<typeof pageMeta> } {
  const last = Math.max(1, Math.ceil(total / perPage));
  const url = (number: number) => `${path}?${encodeQuery([...linkQuery, ['page', String(number)]])}`;
  const prev = page > 1 ? url(page - 1) : null;
  const next = page < last ? url(page + 1) : null;
  const numbers = pageWindow(page, last).map((number): PageLink => {
    if (number === null) return { url: null, label: '...', active: false };
    return { url: url(number), label: String(number), active: number === page };
  });
  const links: PageLink[] = [
    { url: prev, label: '&laquo; Previous', active: false },
    ...numbers,
    { url: next, label: 'Next &raquo;', active: false },
  ];
  const from = count === 0 ? null : (page - 1) * perPage + 1;
  const to = count === 0 ? null : (page - 1) * perPage + count;
  return {
    links: { first: url(1), last: url(last), prev, next },
    meta: { current_page: page, from, last_page: last, links, path, per_page: perPage, to, total },
  };
}

/** Encodes parameters as a query string. */
export const encodeQuery = (parameters: [string, string][]) =>
  parameters.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

/** The `per_page` that page URLs repeat: the effective value, if the request has the parameter. */
export function perPageForLinks(request: Request, { perPage }: PageRequest): [string, string][] {
  return queryText(request, 'per_page') === undefined ? [] : [['per_page', String(perPage)]];
}
