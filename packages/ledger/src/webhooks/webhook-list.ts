import { escapeLike } from '../sql/statement.js';
import type { Database } from '../connection/database.js';
import type { Page } from '../sql/pages.js';
import { decryptWebhook, hiddenColumns, type Webhook } from './webhook-fields.js';

export type WebhookFilter = {
  /** A webhook matches if its name contains one of these, whatever the case. An empty list matches all. */
  names: string[];
  trashed: 'without' | 'with' | 'only';
  /** Only these webhooks; all when absent. */
  webhookIds?: readonly string[] | undefined;
};

const deletedAtConditions = { without: null, with: undefined, only: { not: null } } as const;

/** One page of the account's webhooks, newest first, and the number of webhooks that match the filter. */
export async function listWebhooks(
  db: Database,
  accountId: string,
  { names, trashed, webhookIds, page, perPage }: WebhookFilter & Page,
): Promise<{ webhooks: Webhook[]; total: number }> {
  const nameConditions = names.map((name) => ({ name: { contains: escapeLike(name), mode: 'insensitive' as const } }));
  const where = {
    accountId,
    ...(deletedAtConditions[trashed] === undefined ? {} : { deletedAt: deletedAtConditions[trashed] }),
    ...(nameConditions.length > 0 ? { OR: nameConditions } : {}),
    ...(webhookIds ? { id: { in: [...webhookIds] } } : {}),
  };
  const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
  const skip = (page - 1) * perPage;
  const prisma = await db.prisma();
  const total = await prisma.webhook.count({ where });
  if (skip >= total) return { webhooks: [], total };
  // The ids come first, so that skipped rows are read from the index only.
  const ids = await prisma.webhook.findMany({ where, orderBy, skip, take: perPage, select: { id: true } });
  const rows = await prisma.webhook.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    orderBy,
    omit: hiddenColumns,
  });
  return { webhooks: rows.map((row) => decryptWebhook(db, row)), total };
}
