import type { Prisma } from './generated/client.js';
import { countKept } from './list.js';

/** How many live webhooks an account may have; no limit when absent. */
export type Capacity = { maxWebhooks?: number };

/** The account has as many live webhooks as it may. Nothing was stored. */
export class TooManyWebhooksError extends Error {
  override readonly name = 'TooManyWebhooksError';
}

/**
 * Throws a TooManyWebhooksError when the account has no capacity for another live webhook. Until the end of the
 * transaction the account's row is locked, so that of two requests at the same moment the second one counts what the
 * first one stored. A webhook to restore that is live already needs none.
 */
export async function requireCapacity(
  tx: Prisma.TransactionClient,
  accountId: string,
  { maxWebhooks, restored }: Capacity & { restored?: string },
): Promise<void> {
  if (maxWebhooks === undefined) return;
  await tx.$executeRaw`SELECT FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
  const isLive = { id: restored ?? '', accountId, deletedAt: null };
  if (restored !== undefined && (await tx.webhook.count({ where: isLive })) > 0) return;
  const count = await countKept({ prisma: tx }, accountId, ['webhooks']);
  if (count >= maxWebhooks) throw new TooManyWebhooksError('too many webhooks');
}
