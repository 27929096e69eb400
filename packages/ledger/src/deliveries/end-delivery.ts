import type { Database } from '../connection/open.js';
import { addEndEntrySql } from '../statistics/count-statistics.js';
import type { DeliveryTask } from './delivery-task.js';

const endSql = `WITH ended AS (
    UPDATE deliveries d SET reason = $2, due_at = NULL, leased_at = NULL, lease_expires_at = NULL, expired_lease_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN $3 = 'skipped' OR resent_from = 'delivered' THEN COALESCE(resent_from, 'skipped') ELSE 'failed' END
    WHERE id = $1 AND state = 'pending' AND ($4::timestamptz IS NULL OR leased_at = $4) RETURNING event_id, account_id, webhook_id, updated_at
  )
  ${addEndEntrySql}`;

/**
 * Ends a pending delivery without an attempt: as `skipped` if its webhook may not get callbacks, as `failed` if the
 * callback cannot be sent. A resent delivery that was delivered before stays delivered. Any other resent delivery gets
 * its earlier state back if `state` is `skipped`, and becomes failed otherwise.
 */
export async function endDelivery(
  db: Database,
  id: string,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<void> {
  await db.pool.query(endSql, [id, reason, state, null]);
}

/**
 * Ends a pending delivery as `endDelivery` with `failed` does, but only if it still has the task's lease. A task
 * without a lease ends it in any case.
 */
export async function failLeasedDelivery(
  db: Database,
  { id, leasedAt }: Pick<DeliveryTask, 'id' | 'leasedAt'>,
  reason: string,
) {
  await db.pool.query(endSql, [id, reason, 'failed', leasedAt]);
}
