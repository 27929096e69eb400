import { type Database, findWebhook, hastenDelivery, resendDelivery, type Waker } from '@ringback/database';

export type ResendDeps = { db: Database; waker: Waker };

type Which = { id: string; webhookId: string; state: string };

/**
 * Has a delivery of the account sent again. A final one is called once more, at once; the next attempt of one that is
 * pending is due at once. Answers why nothing was done, or null.
 */
export async function resend(
  { db, waker }: ResendDeps,
  accountId: string,
  { id, webhookId, state }: Which,
): Promise<'inactive' | 'deleted' | null> {
  const webhook = await findWebhook(db, accountId, webhookId);
  if (!webhook?.active) return webhook ? 'inactive' : 'deleted';
  const makeDue = state === 'pending' ? hastenDelivery : resendDelivery;
  const due = await makeDue(db, accountId, id);
  if (due) waker.wake([due]);
  return null;
}
