import type { Database } from '../connection/open.js';
import type { Waker } from '../deliveries/wake-ups.js';
import { findWebhook } from '../webhooks/webhooks.js';
import { makeDueNow, resendDelivery } from './resend.js';

type ResendTarget = { id: string; webhookId: string; state: string };

/**
 * Sends one of the account's deliveries again, unless its state has changed meanwhile. A final delivery gets one more
 * attempt, due now. The next attempt of a pending delivery becomes due now. If the webhook is inactive or deleted,
 * nothing is changed and the result says which. Otherwise the result is null.
 */
export async function resendOrMakeDue(
  { db, waker }: { db: Database; waker: Waker },
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
