import type { Prisma } from './generated/client.js';
import { countKept } from './list.js';

/** Maximum live webhooks of an account; no limit when absent. */
export type Capacity = { maxWebhooks?: number };

/** The account is at its limit of live webhooks. Nothing was stored. */
export class TooManyWebhooksError extends Error {
  override readonly name = 'TooManyWebhooksError';
}

/**
 * Throws a TooManyWebhooksError when the account is at its limit of live webhooks. It locks the account's row until the end
 * of the transaction, so that concurrent requests count each other's webhooks. A webhook to restore that is live passes.
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
