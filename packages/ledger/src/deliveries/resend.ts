import { insertChangeSql } from '../changes.js';
import type { Actor, Database } from '../connection/database.js';
import { isUuid } from '../sql/ids.js';
import { findWebhook } from '../webhooks/webhooks.js';
import { type Due, dueColumns, dueColumnsSql } from './due.js';
import type { Waker } from './wake-ups.js';
import { statement } from '../sql/statement.js';

/**
 * Assignments that make a final delivery pending again, for one attempt, and a pending one due for its next attempt;
 * both at once.
 */
export const resendAssignmentsSql = `state = 'pending', reason = NULL, due_at = clock_timestamp(), updated_at = clock_timestamp(),
  resent_from = CASE WHEN deliveries.state = 'pending' THEN resent_from ELSE deliveries.state END,
  expired_lease_count = CASE WHEN deliveries.state = 'pending' THEN expired_lease_count ELSE 0 END`;

// The row's lock decides between a resend and an attempt that ends at the same time.
const resendStatement = statement<{ id: string; accountId: string; actor: Actor }>(`WITH changed_rows AS (
    UPDATE deliveries SET ${resendAssignmentsSql} WHERE id = $id AND account_id = $accountId
      AND (state <> 'pending' OR lease_expires_at IS NULL AND due_at > clock_timestamp())
    RETURNING id, account_id, webhook_id, channel, due_at
  ), log AS (${insertChangeSql('delivery.resent', { actor: '$actor' })})
  SELECT ${dueColumnsSql} FROM changed_rows`).returns(dueColumns);

/**
 * Resends a delivery of the account. A final one becomes pending for one attempt, without retries. A pending one is due
 * now, and its next attempt counts as the scheduled one. Returns what to wake a worker for, or null when nothing
 * changes: the delivery is already due, leased or not one of the account.
 */
export async function resendDelivery(db: Database, accountId: string, id: string): Promise<Due | null> {
  if (!isUuid(id)) return null;
  return (await resendStatement.row(db.pool, { id, accountId, actor: db.actor })) ?? null;
}

/**
 * Sends one of the account's deliveries again as `resendDelivery` does, and wakes the workers. If the webhook is
 * inactive or deleted, nothing is changed and the result says which. Otherwise the result is null.
 */
export async function scheduleNow(
  { db, waker }: { db: Database; waker: Pick<Waker, 'wake'> },
  accountId: string,
  { id, webhookId }: { id: string; webhookId: string },
): Promise<'inactive' | 'deleted' | null> {
  const webhook = await findWebhook(db, accountId, webhookId);
  if (!webhook?.active) return webhook ? 'inactive' : 'deleted';
  const due = await resendDelivery(db, accountId, id);
  if (due) waker.wake([due]);
  return null;
}
