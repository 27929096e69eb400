import type { Prisma } from '../generated/client.js';

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
