import type { Prisma } from '../generated/client.js';

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
 * Cuts a page, newest first, from rows that were read in the direction of the cursor. The caller reads one row more
 * than the page has. Without that row, the page is the last one, unless the search stopped before the end of the log:
 * `lastExamined` is then the id of the row at which it stopped, and the next page starts there.
 */
export function cutPage<Row extends { id: string }>(
  rowsRead: Row[],
  { cursor, perPage }: CursorPageRequest,
  lastExamined?: string,
): { rows: Row[] } & AdjacentCursors {
  const towardsOlder = cursor?.towardsOlder ?? true;
  const rows = rowsRead.slice(0, perPage);
  const cursorAt = (id: string | undefined, older: boolean) => (id === undefined ? null : { id, towardsOlder: older });
  const next = cursorAt(rowsRead.length > perPage ? rows.at(-1)?.id : lastExamined, towardsOlder);
  const previous = cursorAt(cursor === null ? undefined : rows[0]?.id, !towardsOlder);
  return towardsOlder ? { rows, older: next, newer: previous } : { rows: rows.reverse(), older: previous, newer: next };
}

/** A list whose length is maintained by triggers. */
export type List = 'webhooks' | 'webhooks.deleted' | 'subscriptions';

/**
 * The total length of these lists of an account. Triggers maintain the counts, so the cost does not depend on the
 * length.
 */
export async function readListLength(
  { prisma }: { prisma: Prisma.TransactionClient },
  accountId: string,
  lists: List[],
): Promise<number> {
  const { _sum } = await prisma.listCount.aggregate({
    where: { accountId, list: { in: lists } },
    _sum: { count: true },
  });
  return Number(_sum.count ?? 0);
}

/** Which page of a list to read. `page` counts from 1. */
export type Page = { page: number; perPage: number };

/**
 * How to read a page from the nearer end of its list: sort by creation in this `order`, skip `skip` rows and read
 * `take` rows. `toNewestFirst` then puts these rows newest first.
 */
export type PageRead = {
  skip: number;
  take: number;
  order: 'asc' | 'desc';
  toNewestFirst: <Row>(rows: Row[]) => Row[];
};

/** How to read a page of a list of `total` rows, newest first. Null when the page has no rows. */
export function planPageRead({ page, perPage }: Page, total: number): PageRead | null {
  const rowsBefore = (page - 1) * perPage;
  const take = Math.min(perPage, total - rowsBefore);
  if (take <= 0) return null;
  const rowsAfter = total - rowsBefore - take;
  if (rowsBefore <= rowsAfter) return { skip: rowsBefore, take, order: 'desc', toNewestFirst: (rows) => rows };
  return { skip: rowsAfter, take, order: 'asc', toNewestFirst: (rows) => rows.toReversed() };
}
