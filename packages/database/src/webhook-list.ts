import type { Prisma } from './generated/client.js';
import { countKept, type List, type Page, wayTo } from './list.js';
import type { Database } from './open.js';
import { hidden, openWebhook, type StoredWebhook, type Webhook } from './webhook-row.js';

export type WebhookFilter = {
  /** Case-insensitive parts of names: a webhook matches if its name contains one. Empty matches all. */
  names: string[];
  trashed: 'without' | 'with' | 'only';
};

const deletedAt = { without: null, with: undefined, only: { not: null } } as const;
const kept: Record<WebhookFilter['trashed'], List[]> = {
  without: ['webhooks'],
  with: ['webhooks', 'webhooks.deleted'],
  only: ['webhooks.deleted'],
};
// With more rows to skip, it is faster to read the ids of the page first.
const maxSkippedRows = 1_000;
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** One page of the account's webhooks, newest first, and the number of webhooks that match the filter. */
export async function listWebhooks(
  db: Database,
  accountId: string,
  { names, trashed, ...page }: WebhookFilter & Page,
): Promise<{ webhooks: Webhook[]; total: number }> {
  const named = names.map((name) => ({ name: { contains: literal(name), mode: 'insensitive' as const } }));
  const where = {
    accountId,
    ...(deletedAt[trashed] === undefined ? {} : { deletedAt: deletedAt[trashed] }),
    ...(named.length > 0 ? { OR: named } : {}),
  };
  const total =
    named.length > 0 ? await db.prisma.webhook.count({ where }) : await countKept(db, accountId, kept[trashed]);
  const way = wayTo(page, total);
  if (!way) return { webhooks: [], total };
  const { skip, take, order, inOrder } = way;
  const orderBy = [{ createdAt: order }, { id: order }];
  const read = { where, orderBy, skip, take };
  const rows =
    skip > maxSkippedRows ? await readByIds(db, read) : await db.prisma.webhook.findMany({ ...read, omit: hidden });
  return { webhooks: inOrder(rows).map((row) => openWebhook(db, row)), total };
}

type Read = Required<Pick<Prisma.WebhookFindManyArgs, 'where' | 'orderBy' | 'skip' | 'take'>>;

/** Reads the ids first, so that skipped rows are read from the index only. */
async function readByIds({ prisma }: Database, read: Read): Promise<StoredWebhook[]> {
  const found = await prisma.webhook.findMany({ ...read, select: { id: true } });
  return prisma.webhook.findMany({
    where: { id: { in: found.map(({ id }) => id) } },
    orderBy: read.orderBy,
    omit: hidden,
  });
}
