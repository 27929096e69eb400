import type { Request, Response } from 'express';
import { type CursorPageRequest, isUuid, type PageCursor } from '@ringback/ledger';
import { z } from 'zod';
import { validationError } from '../output/api-error.js';
import { sendSuccess } from '../output/envelope.js';
import { defaultPerPage, encodeQuery, perPageForLinks, perPageQuery, readPerPage } from './per-page.js';
import { queryText } from '../input/query.js';

// The specification's lists follow Laravel's pagination, so a cursor has the fields of a cursor of Laravel (docs/reference/api.md#cursor-pages): a
// position and a direction.
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
  const parsed = cursorSchema.safeParse(decode(text));
  if (!parsed.success) throw validationError({ cursor: ['The cursor is invalid.'] });
  return { id: parsed.data.id, towardsOlder: parsed.data._pointsToNextItems };
}

function decode(text: string): unknown {
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
  last: z.null(),
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

const encode = (cursor: PageCursor | null) =>
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
  const next = encode(older);
  const prev = encode(newer);
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

/** Sends a page of a list with cursors. */
export function sendCursorPage(request: Request, response: Response, page: CursorPage): void {
  const { listUrl, linkQuery, data, older, newer } = page;
  const query = [...linkQuery, ...perPageForLinks(request)];
  sendSuccess(response, 'OK', data, cursorPageFields(listUrl, query, { perPage: readPerPage(request), older, newer }));
}
