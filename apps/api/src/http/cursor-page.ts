import type { Request } from 'express';
import type { LogCursor } from '@ringback/database';
import { isUuid } from '@ringback/database';
import { z } from 'zod';
import { validationError } from './api-error.js';
import { encodeQuery, pageQuery } from './page.js';
import { queryText } from './query.js';

// What Laravel's Cursor holds: where, and which way.
const cursorSchema = z.object({ id: z.string().refine(isUuid), _pointsToNextItems: z.boolean() });

/** The place that `cursor` names; null without one. Throws a 422 for one that no page of ours linked to. */
export function readCursor(request: Request): LogCursor | null {
  const text = queryText(request, 'cursor') ?? '';
  if (text === '') return null;
  const parsed = cursorSchema.safeParse(decode(text));
  if (!parsed.success) throw validationError({ cursor: ['The cursor is invalid.'] });
  return { id: parsed.data.id, older: parsed.data._pointsToNextItems };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The parameters of a list with cursors, as the document tells of them. */
export const cursorQuery = {
  cursor: z.string().optional().describe('A place that `next_cursor` or `prev_cursor` named; the newest when absent.'),
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

/** What a list with cursors answers beside its `data`. */
export const cursorFields = {
  links: cursorLinks.meta({ id: 'CursorLinks' }),
  meta: cursorMeta.meta({ id: 'CursorMeta' }),
};

/** `links` and `meta` of an example whose list fits on one page. */
export const exampleCursorPage = (path: string) =>
  describeCursorPage(`{base_url}${path}`, [], { perPage: 15, older: null, newer: null });

const encode = (cursor: LogCursor | null) =>
  cursor && Buffer.from(JSON.stringify({ id: cursor.id, _pointsToNextItems: cursor.older })).toString('base64url');

/**
 * `links` and `meta` of a list without numbers, in the shape of Laravel's CursorPaginator. `kept` are the query
 * parameters that every page URL repeats; `cursor` comes last.
 */
export function describeCursorPage(
  path: string,
  kept: [string, string][],
  { perPage, older, newer }: { perPage: number; older: LogCursor | null; newer: LogCursor | null },
): { links: z.infer<typeof cursorLinks>; meta: z.infer<typeof cursorMeta> } {
  const [next, prev] = [encode(older), encode(newer)];
  const url = (cursor: string | null) => cursor && `${path}?${encodeQuery([...kept, ['cursor', cursor]])}`;
  const first = kept.length === 0 ? path : `${path}?${encodeQuery(kept)}`;
  return {
    links: { first, last: null, prev: url(prev), next: url(next) },
    meta: { path, per_page: perPage, next_cursor: next, prev_cursor: prev },
  };
}
