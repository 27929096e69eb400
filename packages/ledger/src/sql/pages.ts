/** Which page of a list with numbered pages to read. `page` counts from 1. */
export type Page = { page: number; perPage: number };

/**
 * A position in a log, which is a list that grows at its newest end: the page starts after row `id`, and continues
 * towards older rows if `towardsOlder`, otherwise towards newer ones.
 */
export type PageCursor = { id: string; towardsOlder: boolean };

/** Which page of a log to read. Without a cursor, the newest page is read. */
export type CursorPageRequest = { cursor: PageCursor | null; perPage: number };

/**
 * The cursors of the adjacent pages; null at an end of the log. After a page without rows, the cursor back is also
 * null.
 */
export type AdjacentCursors = { older: PageCursor | null; newer: PageCursor | null };

/**
 * Cuts a page, newest first, from rows that were read in the cursor's direction, one more than the page has. If that
 * row is missing, the page is the last one, unless the search stopped early: then the next page starts at the id
 * `lastExamined`, or after the page's last row. The newest page is read by two statements, and `lastExamined` is the
 * newer of the two ids if deliveries were stored in between.
 */
export function cutPage<Row extends { id: string }>(
  rowsRead: Row[],
  { cursor, perPage }: CursorPageRequest,
  lastExamined?: string,
): { rows: Row[] } & AdjacentCursors {
  const towardsOlder = cursor?.towardsOlder ?? true;
  const rows = rowsRead.slice(0, perPage);
  const cursorAt = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, towardsOlder: older });
  const [lastShown, hasMore] = [rows.at(-1)?.id, rowsRead.length > perPage];
  const isBehind = towardsOlder && lastShown !== undefined && lastExamined !== undefined && lastShown < lastExamined;
  const next = cursorAt(hasMore || isBehind ? lastShown : lastExamined, towardsOlder);
  const previous = cursorAt(cursor === null ? undefined : rows[0]?.id, !towardsOlder);
  return towardsOlder ? { rows, older: next, newer: previous } : { rows: rows.reverse(), older: previous, newer: next };
}
