import { type Database, findWebhook, hastenDelivery, resendDelivery, type Waker } from '@ringback/database';

export type ResendDeps = { db: Database; waker: Waker };

type ResendTarget = { id: string; webhookId: string; state: string };

/**
 * Sends a delivery of the account again. A final delivery gets one more attempt at once; the next attempt of a pending one
 * becomes due at once. Returns null, or the reason why the webhook cannot be called.
 */
export async function resend(
  { db, waker }: ResendDeps,
  accountId: string,
  { id, webhookId, state }: ResendTarget,
): Promise<'inactive' | 'deleted' | null> {
  const webhook = await findWebhook(db, accountId, webhookId);
  if (!webhook?.active) return webhook ? 'inactive' : 'deleted';
  const makeDue = state === 'pending' ? hastenDelivery : resendDelivery;
  const due = await makeDue(db, accountId, id);
  if (due) waker.wake([due]);
  return null;
}
