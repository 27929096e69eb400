import type { LogCursor } from './delivery-filter.js';

/** Where a log goes on, on both sides; null where it does not. */
export type LogPlaces = { older: LogCursor | null; newer: LogCursor | null };

/**
 * A page in the order of its log, newest first. `page` is in the order in which it was read from the cursor on, `onward`
 * the row after which the log goes on that way.
 */
export function turnPage<T extends { id: string }>(
  page: T[],
  cursor: LogCursor | null,
  onward: string | undefined,
): { rows: T[] } & LogPlaces {
  const back = cursor === null ? undefined : page[0]?.id;
  const place = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, older });
  return (cursor?.older ?? true)
    ? { rows: page, older: place(onward, true), newer: place(back, false) }
    : { rows: page.reverse(), older: place(back, true), newer: place(onward, false) };
}
