import type { Prisma } from '../generated/client.js';

/** A list whose length triggers maintain. */
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

/** A page of a list, numbered from 1. */
export type Page = { page: number; perPage: number };

/**
 * How to read a page from the nearer end of its list. `order` applies to the column that says which row is newest.
 * `toNewestFirst` puts the rows read into that order.
 */
export type PageRead = {
  skip: number;
  take: number;
  order: 'asc' | 'desc';
  toNewestFirst: <Row>(rows: Row[]) => Row[];
};

/** How to read a page of a list of `total` rows, newest first. Null when the page is past the end. */
export function planPageRead({ page, perPage }: Page, total: number): PageRead | null {
  const before = (page - 1) * perPage;
  const take = Math.min(perPage, total - before);
  if (take <= 0) return null;
  const after = total - before - take;
  if (before <= after) return { skip: before, take, order: 'desc', toNewestFirst: (rows) => rows };
  return { skip: after, take, order: 'asc', toNewestFirst: (rows) => rows.toReversed() };
}
