import type { Request } from 'express';
import { queryText } from './query.js';

export type PageRequest = { page: number; perPage: number };

const standardPerPage = 15;
const mostPerPage = 100;

// The most digits that are exact: whatever is beyond stands for a number past every end.
const mostNumber = 999_999_999_999_999;
const wholeNumber = (text: string | undefined) =>
  text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), mostNumber) : 0;

/** Missing, 0, negative or not a number is page 1; `per_page` invalid is 15, and over 100 is 100. */
export function readPage(request: Request): PageRequest {
  const page = wholeNumber(queryText(request, 'page')) || 1;
  const perPage = Math.min(wholeNumber(queryText(request, 'per_page')) || standardPerPage, mostPerPage);
  return { page, perPage };
}

type PageLink = { url: string | null; label: string; active: boolean };

/** The numbers that are linked, with `null` for a gap: Laravel's window of three on each side (behaviour: pages). */
export function pageWindow(current: number, last: number): (number | null)[] {
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  if (last < 14) return range(1, last);
  if (current <= 7) return [...range(1, 10), null, last - 1, last];
  if (current > last - 7) return [1, 2, null, ...range(last - 9, last)];
  return [1, 2, null, ...range(current - 3, current + 3), null, last - 1, last];
}

/**
 * `links` and `meta` of a list, in the shape of Laravel's LengthAwarePaginator. `kept` are the query parameters that
 * every page URL repeats; `page` comes last.
 */
export function describePage(
  path: string,
  kept: [string, string][],
  { page, perPage, total, count }: PageRequest & { total: number; count: number },
) {
  const last = Math.max(1, Math.ceil(total / perPage));
  const url = (number: number) => `${path}?${encodeQuery([...kept, ['page', String(number)]])}`;
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

/** A query string, percent-encoded. */
export const encodeQuery = (parameters: [string, string][]) =>
  parameters.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

/** The `per_page` to repeat in page URLs: as it holds, when the caller gave one. */
export function keptPerPage(request: Request, { perPage }: PageRequest): [string, string][] {
  return queryText(request, 'per_page') === undefined ? [] : [['per_page', String(perPage)]];
}
