import type { Request, Response } from 'express';
import { z } from 'zod';
import { type CursorPageRequest, isUuid, type PageCursor } from '@ringback/ledger';
import { queryText } from './input.js';
import { sendSuccess, validationError } from './response.js';

const defaultPerPage = 15;
const maxPerPage = 100;

// Page numbers above this count as this one, because larger numbers may lose digits. Either page is past the last one.
const maxExactNumber = 999_999_999_999_999;

/** Reads a positive integer from a query parameter. Any other value counts as absent. */
function readPositiveInteger(request: Request, name: string): number | undefined {
  const text = queryText(request, name) ?? '';
  const number = /^\d+$/.test(text) ? Number(text) : 0;
  return number === 0 ? undefined : Math.min(number, maxExactNumber);
}

/** Reads `per_page`, the number of items on a page: 15 when it is absent or invalid, and at most 100. */
const readPerPage = (request: Request): number =>
  Math.min(readPositiveInteger(request, 'per_page') ?? defaultPerPage, maxPerPage);

/** The query parameter of `readPerPage`, for the OpenAPI document. */
const perPageQuery = {
  per_page: z
    .int()
    .min(1)
    .max(maxPerPage)
    .optional()
    .describe(`Items per page; ${defaultPerPage} when absent or invalid. A larger number counts as ${maxPerPage}.`),
};

/** The `per_page` that page URLs repeat: the effective value, if the request has the parameter. */
const perPageForLinks = (request: Request): [string, string][] =>
  queryText(request, 'per_page') === undefined ? [] : [['per_page', String(readPerPage(request))]];

const encodeQuery = (parameters: [string, string][]) =>
  parameters.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

type NumberedPageRequest = { page: number; perPage: number };

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

const pageLink = z
  .object({
    url: z.string().nullable(),
    label: z.string().describe('A page number, `...` for a gap, `&laquo; Previous` or `Next &raquo;`.'),
    active: z.boolean(),
  })
  .meta({ id: 'PageLink' });
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

export function sendNumberedPage(request: Request, response: Response, numberedPage: NumberedPage): void {
  const { message, listUrl, linkQuery, data, total } = numberedPage;
  const query = [...linkQuery, ...perPageForLinks(request)];
  const fields = numberedPageFields(listUrl, query, { ...readNumberedPage(request), total, count: data.length });
  sendSuccess(response, message, data, fields);
}

// The lists follow Laravel's pagination, so a cursor has the fields of a cursor of Laravel: a position and a direction
// (docs/reference/api.md#cursor-pages).
const cursorSchema = z.object({ id: z.string().refine(isUuid), _pointsToNextItems: z.boolean() });

/** Reads `cursor` and `per_page`. Throws a 422 when `cursor` is not a cursor of this API. */
export const readCursorPage = (request: Request): CursorPageRequest => ({
  cursor: readCursor(request),
  perPage: readPerPage(request),
});

/** Reads the parameter `cursor`; null when absent. */
function readCursor(request: Request): PageCursor | null {
  const text = queryText(request, 'cursor') ?? '';
  if (text === '') return null;
  const parsed = cursorSchema.safeParse(decodeCursor(text));
  if (!parsed.success) throw validationError({ cursor: ['The cursor is invalid.'] });
  return { id: parsed.data.id, towardsOlder: parsed.data._pointsToNextItems };
}

function decodeCursor(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The query parameters of `readCursorPage`, for the OpenAPI document. */
export const cursorQuery = {
  cursor: z
    .string()
    .optional()
    .describe('A value of `next_cursor` or `prev_cursor`; without it the list starts with the newest item.'),
  ...perPageQuery,
};

const cursorLinks = z.object({
  first: z.string(),
  last: z.string().nullable().describe('Always null: the last page is not known.'),
  prev: z.string().nullable(),
  next: z.string().nullable(),
});
const cursorMeta = z.object({
  path: z.string(),
  per_page: z.int(),
  next_cursor: z.string().nullable(),
  prev_cursor: z.string().nullable(),
});

/** The schemas of the fields that a list with cursors has in addition to `data`. */
export const cursorPageSchemas = {
  links: cursorLinks.meta({ id: 'CursorLinks' }),
  meta: cursorMeta.meta({ id: 'CursorMeta' }),
};

/** `links` and `meta` for an example that fits on one page. */
export const exampleCursorPage = (path: string) =>
  cursorPageFields(`{base_url}${path}`, [], { perPage: defaultPerPage, older: null, newer: null });

const encodeCursor = (cursor: PageCursor | null) =>
  cursor &&
  Buffer.from(JSON.stringify({ id: cursor.id, _pointsToNextItems: cursor.towardsOlder })).toString('base64url');

/**
 * `links` and `meta` of a list with cursors, in the shape of Laravel's CursorPaginator. Every page URL repeats the
 * query parameters `linkQuery`. `cursor`, if present, is last.
 */
function cursorPageFields(
  listUrl: string,
  linkQuery: [string, string][],
  { perPage, older, newer }: { perPage: number; older: PageCursor | null; newer: PageCursor | null },
): { links: z.infer<typeof cursorLinks>; meta: z.infer<typeof cursorMeta> } {
  const next = encodeCursor(older);
  const prev = encodeCursor(newer);
  const url = (cursor: string | null) => cursor && `${listUrl}?${encodeQuery([...linkQuery, ['cursor', cursor]])}`;
  const first = linkQuery.length === 0 ? listUrl : `${listUrl}?${encodeQuery(linkQuery)}`;
  return {
    links: { first, last: null, prev: url(prev), next: url(next) },
    meta: { path: listUrl, per_page: perPage, next_cursor: next, prev_cursor: prev },
  };
}

type CursorPage = {
  listUrl: string;
  /** The query parameters that page URLs repeat, besides `per_page`. */
  linkQuery: [string, string][];
  data: unknown[];
  older: PageCursor | null;
  newer: PageCursor | null;
};

export function sendCursorPage(request: Request, response: Response, page: CursorPage): void {
  const { listUrl, linkQuery, data, older, newer } = page;
  const query = [...linkQuery, ...perPageForLinks(request)];
  sendSuccess(response, 'OK', data, cursorPageFields(listUrl, query, { perPage: readPerPage(request), older, newer }));
}
