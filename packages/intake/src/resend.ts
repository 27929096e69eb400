import { type Database, findWebhook, makeDueNow, resendDelivery, type Waker } from '@ringback/database';

/** What resending needs of its process. */
export type ResendDeps = { db: Database; waker: Waker };

type ResendTarget = { id: string; webhookId: string; state: string };

/**
 * Sends one of the account's deliveries again, unless its state has changed meanwhile. A final delivery gets one more
 * attempt, due now. The next attempt of a pending delivery becomes due now. Returns null, or why the webhook may not
 * get callbacks.
 */
export async function resendOrMakeDue(
  { db, waker }: ResendDeps,
  accountId: string,
  { id, webhookId, state }: ResendTarget,
): Promise<'inactive' | 'deleted' | null> {
  const webhook = await findWebhook(db, accountId, webhookId);
  if (!webhook?.active) return webhook ? 'inactive' : 'deleted';
  const schedule = state === 'pending' ? makeDueNow : resendDelivery;
  const due = await schedule(db, accountId, id);
  if (due) waker.wake([due]);
  return null;
}
