import type { Request } from 'express';
import type { LogCursor } from '@ringback/database';
import { isUuid } from '@ringback/database';
import { z } from 'zod';
import { validationError } from './api-error.js';
import { encodeQuery } from './page.js';
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
) {
  const [next, prev] = [encode(older), encode(newer)];
  const url = (cursor: string | null) => cursor && `${path}?${encodeQuery([...kept, ['cursor', cursor]])}`;
  const first = kept.length === 0 ? path : `${path}?${encodeQuery(kept)}`;
  return {
    links: { first, last: null, prev: url(prev), next: url(next) },
    meta: { path, per_page: perPage, next_cursor: next, prev_cursor: prev },
  };
}
