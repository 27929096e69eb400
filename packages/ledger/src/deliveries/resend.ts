import { insertChangeSql } from '../changes.js';
import type { Actor, Database } from '../connection/database.js';
import { isUuid } from '../sql/ids.js';
import { findWebhook } from '../webhooks/webhooks.js';
import { type Due, dueColumns, dueColumnsSql } from './due.js';
import type { Waker } from './wake-ups.js';
import { statement } from '../sql/statement.js';

/** Assignments that make a final delivery pending again, due at once, for one attempt. */
export const resendAssignmentsSql = `state = 'pending', resent_from = deliveries.state, reason = NULL, due_at = clock_timestamp(),
  expired_lease_count = 0, updated_at = clock_timestamp()`;

const returningSql = `RETURNING id, account_id, webhook_id, channel, due_at`;
type ResendParameters = { id: string; accountId: string; actor: Actor };
const resendStatement = (updateSql: string) =>
  statement<ResendParameters>(`WITH changed_rows AS (${updateSql} ${returningSql}
  ), log AS (${insertChangeSql('delivery.resent', { actor: '$actor' })})
  SELECT ${dueColumnsSql} FROM changed_rows`).returns(dueColumns);

const resendFinalStatement = resendStatement(`UPDATE deliveries SET ${resendAssignmentsSql}
    WHERE id = $id AND account_id = $accountId AND state <> 'pending'`);
const makeDueStatement =
  resendStatement(`UPDATE deliveries SET due_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = $id AND account_id = $accountId AND lease_expires_at IS NULL AND due_at > clock_timestamp()`);

/**
 * Resends a final delivery of the account: it becomes pending for one attempt, without retries. Returns what to
 * wake a worker for, or null when the account has no final delivery with this id.
 */
export function resendDelivery(db: Database, accountId: string, id: string): Promise<Due | null> {
  return changeDelivery(db, resendFinalStatement, { accountId, id });
}

/**
 * Makes a pending delivery of the account due now. Its next attempt counts as the scheduled one. Returns what to wake a
 * worker for, or null when nothing changes: the delivery is already due, leased, final or not one of the account.
 */
function makeDueNow(db: Database, accountId: string, id: string): Promise<Due | null> {
  return changeDelivery(db, makeDueStatement, { accountId, id });
}

async function changeDelivery(
  db: Database,
  resend: typeof makeDueStatement,
  { accountId, id }: { accountId: string; id: string },
): Promise<Due | null> {
  if (!isUuid(id)) return null;
  return (await resend.row(db.pool, { id, accountId, actor: db.actor })) ?? null;
}

type ResendTarget = { id: string; webhookId: string; state: string };

/**
 * Schedules an attempt of a delivery now, unless its state has changed meanwhile: a final one gets one more attempt, a
 * pending one its next attempt. If the webhook is inactive or deleted, nothing changes and the result says which;
 * otherwise the result is null.
 */
export async function scheduleNow(
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
