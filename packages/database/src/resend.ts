import { insertChange } from './changes.js';
import type { Database } from './open.js';
import type { WebhookChannel } from './claims.js';
import { isUuid } from './uuid.js';

/** What makes a final delivery pending once more, due at once, for one attempt. */
export const resendColumns = `state = 'pending', resent_from = deliveries.state, reason = NULL, due_at = clock_timestamp(),
  crash_count = 0, updated_at = clock_timestamp()`;

const returned = `RETURNING id, account_id, webhook_id, channel`;
const answered = (statement: string) => `WITH changed_rows AS (${statement} ${returned}
  ), log AS (${insertChange('delivery.resent', { actor: '$3' })})
  SELECT webhook_id AS "webhookId", channel, account_id AS "accountId" FROM changed_rows`;

const resend = answered(`UPDATE deliveries SET ${resendColumns}
    WHERE id = $1 AND account_id = $2 AND state <> 'pending'`);
const hasten = answered(`UPDATE deliveries SET due_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = $1 AND account_id = $2 AND lease_expires_at IS NULL AND due_at > clock_timestamp()`);

/**
 * Makes a final delivery of the account pending once more, for one attempt; its schedule does not begin anew. Answers with
 * what is due now, null when there is no final delivery of this id.
 */
export function resendDelivery(db: Database, accountId: string, id: string): Promise<WebhookChannel | null> {
  return change(db, resend, { accountId, id });
}

/**
 * Makes the next attempt of a pending delivery of the account due now; it is still an attempt of its schedule. Null when it
 * is due already, or not pending.
 */
export function hastenDelivery(db: Database, accountId: string, id: string): Promise<WebhookChannel | null> {
  return change(db, hasten, { accountId, id });
}

async function change(
  db: Database,
  statement: string,
  { accountId, id }: { accountId: string; id: string },
): Promise<WebhookChannel | null> {
  if (!isUuid(id)) return null;
  const { rows } = await db.pool.query<WebhookChannel>(statement, [id, accountId, db.actor]);
  return rows[0] ?? null;
}
