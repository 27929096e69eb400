import type { Prisma } from '../generated/client.js';

/** Maximum live webhooks of an account; no limit when absent. */
export type WebhookLimit = { maxWebhooks?: number };

/** The account has the maximum number of live webhooks. Nothing was stored. */
export class TooManyWebhooksError extends Error {
  override readonly name = 'TooManyWebhooksError';
}

/**
 * Throws a TooManyWebhooksError when the account has `maxWebhooks` live webhooks. It locks the account's row until the
 * transaction ends, so that concurrent requests count each other's webhooks. It does not throw if `restoredId` is the
 * id of a webhook that is already live, or of none of the account.
 */
export async function requireWebhookCapacity(
  tx: Prisma.TransactionClient,
  accountId: string,
  { maxWebhooks, restoredId }: WebhookLimit & { restoredId?: string },
): Promise<void> {
  if (maxWebhooks === undefined) return;
  await tx.$executeRaw`SELECT FROM accounts WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
  if (restoredId !== undefined) {
    const deletedWebhook = { id: restoredId, accountId, deletedAt: { not: null } };
    if ((await tx.webhook.count({ where: deletedWebhook })) === 0) return;
  }
  const count = await tx.webhook.count({ where: { accountId, deletedAt: null } });
  if (count >= maxWebhooks) throw new TooManyWebhooksError('too many webhooks');
}
