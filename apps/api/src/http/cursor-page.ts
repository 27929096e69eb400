import type { Request } from 'express';
import type { LogCursor } from '@ringback/database';
import { isUuid } from '@ringback/database';
import { z } from 'zod';
import { validationError } from './api-error.js';
import { encodeQuery, pageQuery } from './numbered-page.js';
import { queryText } from './query.js';

// The specification's lists follow Laravel's pagination, so a cursor has the content of Laravel's (B143): a position
// and a direction.
const cursorSchema = z.object({ id: z.string().refine(isUuid), _pointsToNextItems: z.boolean() });

/** Reads the parameter `cursor`; null when absent. Throws a 422 when it is not a cursor of this API. */
export function readCursor(request: Request): LogCursor | null {
  const text = queryText(request, 'cursor') ?? '';
  if (text === '') return null;
  const parsed = cursorSchema.safeParse(decode(text));
  if (!parsed.success) throw validationError({ cursor: ['The cursor is invalid.'] });
  return { id: parsed.data.id, isOlder: parsed.data._pointsToNextItems };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The query parameters of a list with cursors, for the OpenAPI document. */
export const cursorQuery = {
  cursor: z
    .string()
    .optional()
    .describe('A value of `next_cursor` or `prev_cursor`; without it the list starts with the newest item.'),
  per_page: pageQuery.per_page,
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
  cursorPageFields(`{base_url}${path}`, [], { perPage: 15, older: null, newer: null });

const encode = (cursor: LogCursor | null) =>
  cursor && Buffer.from(JSON.stringify({ id: cursor.id, _pointsToNextItems: cursor.isOlder })).toString('base64url');

/**
 * `links` and `meta` of a list with cursors, in the shape of Laravel's CursorPaginator. Every page URL repeats the
 * query parameters `linkQuery`. `cursor`, if present, is last.
 */
export function cursorPageFields(
  path: string,
  linkQuery: [string, string][],
  { perPage, older, newer }: { perPage: number; older: LogCursor | null; newer: LogCursor | null },
): { links: z.infer<typeof cursorLinks>; meta: z.infer<typeof cursorMeta> } {
  const next = encode(older);
  const prev = encode(newer);
  const url = (cursor: string | null) => cursor && `${path}?${encodeQuery([...linkQuery, ['cursor', cursor]])}`;
  const first = linkQuery.length === 0 ? path : `${path}?${encodeQuery(linkQuery)}`;
  return {
    links: { first, last: null, prev: url(prev), next: url(next) },
    meta: { path, per_page: perPage, next_cursor: next, prev_cursor: prev },
  };
}
