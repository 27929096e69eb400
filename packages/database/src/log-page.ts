/** A place in a list, and whether what comes after it (older) or before it is wanted. */
export type LogCursor = { id: string; older: boolean };

/** Which page of a list with cursors is wanted; the first one without a cursor. */
export type PlaceInLog = { cursor: LogCursor | null; perPage: number };

/** Where a list goes on; null where it does not. */
export type LogPlaces = { older: LogCursor | null; newer: LogCursor | null };

/**
 * The page, newest first, of rows that were asked for in the direction of the cursor, one more than fit. `lastLooked` is
 * where to go on although there is no such row.
 */
export function cutPage<Row extends { id: string }>(
  found: Row[],
  { cursor, perPage }: PlaceInLog,
  lastLooked?: string,
): { rows: Row[] } & LogPlaces {
  const isOlder = cursor?.older ?? true;
  const rows = found.slice(0, perPage);
  const place = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, older });
  const onward = place(found.length > perPage ? rows.at(-1)?.id : lastLooked, isOlder);
  const back = place(cursor === null ? undefined : rows[0]?.id, !isOlder);
  return isOlder ? { rows, older: onward, newer: back } : { rows: rows.reverse(), older: back, newer: onward };
}
