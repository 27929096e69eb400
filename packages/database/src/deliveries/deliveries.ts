import type { Attempt, Delivery } from '../generated/client.js';
import type { Database } from '../connection/open.js';
import { preparedStatement } from '../sql/statement.js';
import { leaseIdSql } from './conditions.js';
import { addEndEntrySql } from '../statistics/entries.js';
import { type DeliveryTask, taskColumnsSql, taskJoinsSql, type TaskRow, toTask } from './delivery-task.js';
import { isUuid } from '../sql/uuid.js';

const loadStatement = preparedStatement<{ ids: string[] }>(
  'load',
  `SELECT ${taskColumnsSql} FROM deliveries d ${taskJoinsSql()} WHERE d.id = ANY($ids::uuid[])`,
);

/** The deliveries with these ids that exist, in any order. Uses the primary keys. */
export async function loadDeliveries(db: Database, ids: string[]): Promise<DeliveryTask[]> {
  const { rows } = await db.pool.query<TaskRow>(loadStatement({ ids: ids.filter(isUuid) }));
  return rows.map((row) => toTask(db, row));
}

/** The payload of an event; undefined when the event was deleted. */
export async function loadPayload(db: Database, eventId: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [eventId]);
  return rows[0]?.payload;
}

const endSql = `WITH ended AS (
    UPDATE deliveries d SET reason = $2, due_at = NULL, lease_expires_at = NULL, crash_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN $3 = 'skipped' OR resent_from = 'delivered' THEN COALESCE(resent_from, 'skipped') ELSE 'failed' END
    WHERE id = $1 AND state = 'pending' AND ($4::timestamptz IS NULL OR ${leaseIdSql} = $4) RETURNING event_id, account_id, webhook_id, updated_at
  )
  ${addEndEntrySql}`;

/**
 * Ends a pending delivery without an attempt: as `skipped` if its webhook may not get callbacks, as `failed` if the
 * callback can never be sent. A resent delivery that was delivered before stays delivered. Any other resent delivery
 * gets its earlier state back if `state` is `skipped`, and becomes failed otherwise.
 */
export async function endDelivery(
  db: Database,
  id: string,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<void> {
  await db.pool.query(endSql, [id, reason, state, null]);
}

/** Fails a pending delivery without an attempt, if it still has this lease. */
export async function failLeased(db: Database, { id, leaseId }: Pick<DeliveryTask, 'id' | 'leaseId'>, reason: string) {
  await db.pool.query(endSql, [id, reason, 'failed', leaseId]);
}

/** A row of `deliveries` with its rows of `attempts`, oldest first. */
export type DeliveryWithAttempts = Delivery & { attempts: Attempt[] };

/** Deliveries with their attempts, newest first. Each field of the filter, if present, restricts the list. */
export async function listDeliveries(
  db: Database,
  filter: { accountId?: string; webhookId?: string; eventId?: string; state?: Delivery['state']; limit: number },
): Promise<DeliveryWithAttempts[]> {
  const { limit, ...where } = filter;
  const include = { attempts: { orderBy: { number: 'asc' as const } } };
  const found = await db.prisma.delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
  // The previous version keeps the time in `next_attempt_at`.
  return found.map((delivery) => ({ ...delivery, dueAt: delivery.dueAt ?? delivery.nextAttemptAt }));
}
