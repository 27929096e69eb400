/** A position in a list, and whether the page has the rows after it (older) or before it (newer). */
export type LogCursor = { id: string; older: boolean };

/** The page of a list to read. Without a cursor it is the first one. */
export type PlaceInLog = { cursor: LogCursor | null; perPage: number };

/** The cursors of the pages before and after; null at an end of the list. */
export type LogPlaces = { older: LogCursor | null; newer: LogCursor | null };

/**
 * Makes a page, newest first, of rows that were read in the direction of the cursor, at most one more than the page has.
 * `lastExamined` is the position from which the list continues if there is no further row.
 */
export function cutPage<Row extends { id: string }>(
  found: Row[],
  { cursor, perPage }: PlaceInLog,
  lastExamined?: string,
): { rows: Row[] } & LogPlaces {
  const isOlder = cursor?.older ?? true;
  const rows = found.slice(0, perPage);
  const cursorAt = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, older });
  const onwards = cursorAt(found.length > perPage ? rows.at(-1)?.id : lastExamined, isOlder);
  const backwards = cursorAt(cursor === null ? undefined : rows[0]?.id, !isOlder);
  return isOlder
    ? { rows, older: onwards, newer: backwards }
    : { rows: rows.reverse(), older: backwards, newer: onwards };
}
