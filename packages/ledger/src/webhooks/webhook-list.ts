import type { Database } from '../connection/database.js';
import type { Prisma } from '../generated/client.js';
import { type List, type Page, planPageRead, readListLength } from '../sql/pages.js';
import { decryptWebhook, hiddenColumns, type StoredWebhook, type Webhook } from './webhook-fields.js';

/** Selects webhooks of an account. */
export type WebhookFilter = {
  /** A webhook matches if its name contains one of these, whatever the case. An empty list matches all. */
  names: string[];
  trashed: 'without' | 'with' | 'only';
  /** Only these webhooks; all when absent. */
  webhookIds?: readonly string[] | undefined;
};

const deletedAtConditions = { without: null, with: undefined, only: { not: null } } as const;
const listsOf: Record<WebhookFilter['trashed'], List[]> = {
  without: ['webhooks'],
  with: ['webhooks', 'webhooks.deleted'],
  only: ['webhooks.deleted'],
};
// If a query skips more rows than this, it is faster to read the page's ids first.
const maxSkippedRows = 1_000;
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** One page of the account's webhooks, newest first, and the number of webhooks that match the filter. */
export async function listWebhooks(
  db: Database,
  accountId: string,
  { names, trashed, webhookIds, ...page }: WebhookFilter & Page,
): Promise<{ webhooks: Webhook[]; total: number }> {
  const nameConditions = names.map((name) => ({ name: { contains: escapeLike(name), mode: 'insensitive' as const } }));
  const where = {
    accountId,
    ...(deletedAtConditions[trashed] === undefined ? {} : { deletedAt: deletedAtConditions[trashed] }),
    ...(nameConditions.length > 0 ? { OR: nameConditions } : {}),
    ...(webhookIds ? { id: { in: [...webhookIds] } } : {}),
  };
  const total =
    nameConditions.length > 0 || webhookIds
      ? await db.prisma.webhook.count({ where })
      : await readListLength(db, accountId, listsOf[trashed]);
  const pageRead = planPageRead(page, total);
  if (!pageRead) return { webhooks: [], total };
  const { skip, take, order, toNewestFirst } = pageRead;
  const orderBy = [{ createdAt: order }, { id: order }];
  const read = { where, orderBy, skip, take };
  const rows =
    skip > maxSkippedRows
      ? await readByIds(db, read)
      : await db.prisma.webhook.findMany({ ...read, omit: hiddenColumns });
  return { webhooks: toNewestFirst(rows).map((row) => decryptWebhook(db, row)), total };
}

type Read = Required<Pick<Prisma.WebhookFindManyArgs, 'where' | 'orderBy' | 'skip' | 'take'>>;

/** Reads the ids first, so that skipped rows are read from the index only. */
async function readByIds({ prisma }: Database, read: Read): Promise<StoredWebhook[]> {
  const page = await prisma.webhook.findMany({ ...read, select: { id: true } });
  return prisma.webhook.findMany({
    where: { id: { in: page.map(({ id }) => id) } },
    orderBy: read.orderBy,
    omit: hiddenColumns,
  });
}
