import type { Request, Response } from 'express';
import { z } from 'zod';
import { sendSuccess } from '../output/envelope.js';
import {
  defaultPerPage,
  encodeQuery,
  perPageForLinks,
  perPageQuery,
  readPerPage,
  readPositiveInteger,
} from './per-page.js';

export type NumberedPageRequest = { page: number; perPage: number };

/** Reads `page`, by default 1, and `per_page`. */
export const readNumberedPage = (request: Request): NumberedPageRequest => ({
  page: readPositiveInteger(request, 'page') ?? 1,
  perPage: readPerPage(request),
});

/** The query parameters of `readNumberedPage`, for the OpenAPI document. */
export const numberedPageQuery = {
  page: z.int().min(1).optional().describe('The number of the page. An absent or invalid number means page 1.'),
  ...perPageQuery,
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

/** The schemas of the fields that a list with numbered pages has in addition to `data`. */
export const numberedPageSchemas = {
  links: pageLinks.meta({ id: 'PageLinks' }),
  meta: pageMeta.meta({ id: 'PageMeta' }),
};

/** `links` and `meta` for an example that fits on one page. */
export const exampleNumberedPage = (path: string, count: number) =>
  numberedPageFields(`{base_url}${path}`, [], { page: 1, perPage: defaultPerPage, total: count, count });

/**
 * The page numbers to link, with `null` for a gap, as Laravel chooses them with three pages on each side of the current
 * one (docs/reference/api.md#numbered-pages).
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
  listUrl: string,
  linkQuery: [string, string][],
  { page, perPage, total, count }: NumberedPageRequest & { total: number; count: number },
): { links: z.infer<typeof pageLinks>; meta: z.infer<typeof pageMeta> } {
  const last = Math.max(1, Math.ceil(total / perPage));
  const url = (number: number) => `${listUrl}?${encodeQuery([...linkQuery, ['page', String(number)]])}`;
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
    meta: { current_page: page, from, last_page: last, links, path: listUrl, per_page: perPage, to, total },
  };
}

type NumberedPage = {
  message: string;
  listUrl: string;
  /** The query parameters that page URLs repeat, besides `per_page`. */
  linkQuery: [string, string][];
  data: unknown[];
  /** The number of items on all pages. */
  total: number;
};

/** Sends a page of a list with numbered pages. */
export function sendNumberedPage(request: Request, response: Response, numberedPage: NumberedPage): void {
  const { message, listUrl, linkQuery, data, total } = numberedPage;
  const query = [...linkQuery, ...perPageForLinks(request)];
  const fields = numberedPageFields(listUrl, query, { ...readNumberedPage(request), total, count: data.length });
  sendSuccess(response, message, data, fields);
}
