/**
 * A position in a log, which is a list that grows at its newest end: the page starts after row `id`, and continues
 * towards older rows if `towardsOlder`, otherwise towards newer ones.
 */
export type PageCursor = { id: string; towardsOlder: boolean };

/** The page of a log to read. Without a cursor it is the newest page. */
export type CursorPageRequest = { cursor: PageCursor | null; perPage: number };

/** The cursors of the adjacent pages; null at an end of the log. */
export type AdjacentCursors = { older: PageCursor | null; newer: PageCursor | null };

/**
 * Cuts a page, newest first, from rows that were read in the direction of the cursor. The caller reads one row more
 * than the page has; a page without that row is the last one. If the search stopped at a row without reaching the end
 * of the log, `lastExamined` is the id of that row, and the log continues there.
 */
export function cutPage<Row extends { id: string }>(
  found: Row[],
  { cursor, perPage }: CursorPageRequest,
  lastExamined?: string,
): { rows: Row[] } & AdjacentCursors {
  const towardsOlder = cursor?.towardsOlder ?? true;
  const rows = found.slice(0, perPage);
  const cursorAt = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, towardsOlder: older });
  const next = cursorAt(found.length > perPage ? rows.at(-1)?.id : lastExamined, towardsOlder);
  const previous = cursorAt(cursor === null ? undefined : rows[0]?.id, !towardsOlder);
  return towardsOlder ? { rows, older: next, newer: previous } : { rows: rows.reverse(), older: previous, newer: next };
}
