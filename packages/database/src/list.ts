import type { Prisma } from './generated/client.js';

export type List = 'webhooks' | 'webhooks.deleted' | 'subscriptions';

/** How many there are in these lists of an account together. Triggers keep it, so it costs the same for a million. */
export async function countKept(
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

export type Page = { page: number; perPage: number };

/** The way to a page from the nearer end of its list. `order` is that of the column which says what is newest. */
export type Way = { skip: number; take: number; order: 'asc' | 'desc'; inOrder: <Row>(rows: Row[]) => Row[] };

/** How to read a page of a list, newest first, of `total`; null when it is past the end. */
export function wayTo({ page, perPage }: Page, total: number): Way | null {
  const before = (page - 1) * perPage;
  const take = Math.min(perPage, total - before);
  if (take <= 0) return null;
  const after = total - before - take;
  if (before <= after) return { skip: before, take, order: 'desc', inOrder: (rows) => rows };
  return { skip: after, take, order: 'asc', inOrder: (rows) => rows.toReversed() };
}
