import { type AttemptRecord, attemptRecords, storedColumnNames } from './attempt-records.js';
import type { Attempt, Delivery } from '../generated/client.js';
import type { Database } from '../connection/open.js';
import { type AutoPauseRules, pauseFailingWebhooksCtes } from '../webhooks/pausing.js';
import { statement } from '../sql/statement.js';
import { addCallEntries, addEndEntry } from '../statistics/statistic-entries.js';
import { type DeliveryTask, leaseStartedAt, taskColumns, taskJoins, type TaskRow, toTask } from './delivery-task.js';
import { isUuid } from '../sql/uuid.js';

const load = statement<{ ids: string[] }>(
  'load',
  `SELECT ${taskColumns} FROM deliveries d ${taskJoins()} WHERE d.id = ANY($ids::uuid[])`,
);

/** The deliveries with these ids that exist, in any order. The primary keys serve it. */
export async function loadDeliveries(db: Database, ids: string[]): Promise<DeliveryTask[]> {
  const { rows } = await db.pool.query<TaskRow>(load({ ids: ids.filter(isUuid) }));
  return rows.map((row) => toTask(db, row));
}

/** The payload of an event; undefined when the event was deleted. */
export async function loadPayload(db: Database, eventId: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [eventId]);
  return rows[0]?.payload;
}

type RecordParameters = {
  /** Attempts, encoded by `attemptRecords`. */
  attempts: string;
  failingAfterDays: number;
  pauseIfGone: boolean;
};

/**
 * Stores attempts, updates their deliveries and adds entries for statistics, if the delivery is pending and the
 * attempt's number is the next one. Rows are locked in the order of their ids, as in the statements that release and
 * renew leases, so that two batches never deadlock. `moreCtes` is appended to the CTEs. The primary keys of
 * `deliveries` and `attempts` serve it.
 */
const recordStatement = (moreCtes: string) =>
  `WITH input AS (
    SELECT * FROM ${attemptRecords.from('$attempts')} ORDER BY delivery_id
  ), updated AS (
    UPDATE deliveries d SET attempts = i.number, lease_expires_at = NULL, crash_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN d.resent_from IS NULL OR i.state = 'delivered' THEN i.state
        WHEN d.resent_from = 'delivered' THEN d.resent_from ELSE 'failed' END,
      due_at = CASE WHEN d.resent_from IS NULL
        THEN clock_timestamp() + i.wait_ms * interval '1 millisecond' END
    FROM input i WHERE d.id = i.delivery_id AND d.state = 'pending' AND d.attempts = i.number - 1
    RETURNING d.id AS delivery_id, d.webhook_id, d.account_id
  ), entries AS (
    ${addCallEntries}
  )${moreCtes}
  INSERT INTO attempts (${storedColumnNames})
    SELECT ${storedColumnNames} FROM input JOIN updated USING (delivery_id)
  RETURNING delivery_id AS id`;
const record = statement<Pick<RecordParameters, 'attempts'>>('record', recordStatement(''));
const recordAndPause = statement<RecordParameters>(
  'record_and_watch',
  recordStatement(`, ${pauseFailingWebhooksCtes}`),
);

/**
 * Records attempts and updates their deliveries, all or none. A resent delivery gets one attempt. If it fails, a
 * delivery that was delivered before stays delivered, and any other becomes failed. Returns the ids of the deliveries
 * whose attempt was recorded. An attempt whose number was recorded before has no effect. The rules decide which
 * webhooks are paused.
 */
export async function recordAttempts(
  db: Database,
  attempts: AttemptRecord[],
  { failingAfterDays, pauseOnGone: pauseIfGone }: AutoPauseRules = { failingAfterDays: 0, pauseOnGone: false },
): Promise<Set<string>> {
  const encoded = attemptRecords.encode(attempts);
  const mayPause = failingAfterDays > 0 || pauseIfGone;
  const query = mayPause
    ? recordAndPause({ attempts: encoded, failingAfterDays, pauseIfGone })
    : record({ attempts: encoded });
  const { rows } = await db.pool.query<{ id: string }>(query);
  return new Set(rows.map(({ id }) => id));
}

const end = `WITH ended AS (
    UPDATE deliveries d SET reason = $2, due_at = NULL, lease_expires_at = NULL, crash_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN $3 = 'skipped' OR resent_from = 'delivered' THEN COALESCE(resent_from, 'skipped') ELSE 'failed' END
    WHERE id = $1 AND state = 'pending' AND ($4::timestamptz IS NULL OR ${leaseStartedAt} = $4) RETURNING event_id, account_id, webhook_id, updated_at
  )
  ${addEndEntry}`;

/**
 * Ends a pending delivery without an attempt: as `skipped` if its webhook must not be called, as `failed` if the
 * callback can never be sent. A resent delivery that was delivered before stays delivered. Any other resent delivery
 * gets its earlier state back if `state` is `skipped`, and becomes failed otherwise.
 */
export async function endDelivery(
  db: Database,
  id: string,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<void> {
  await db.pool.query(end, [id, reason, state, null]);
}

/** Fails a pending delivery without an attempt, if it still has this lease. */
export async function failLeased(db: Database, { id, lease }: Pick<DeliveryTask, 'id' | 'lease'>, reason: string) {
  await db.pool.query(end, [id, reason, 'failed', lease]);
}

export type DeliveryWithAttempts = Delivery & { attemptRecords: Attempt[] };

/** Deliveries with their attempts, newest first. Each field of the filter, if present, restricts the list. */
export async function listDeliveries(
  db: Database,
  filter: { accountId?: string; webhookId?: string; eventId?: string; state?: Delivery['state']; limit: number },
): Promise<DeliveryWithAttempts[]> {
  const { limit, ...where } = filter;
  const include = { attemptRecords: { orderBy: { number: 'asc' as const } } };
  const found = await db.prisma.delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
  // The previous release keeps the time in `next_attempt_at`.
  return found.map((delivery) => ({ ...delivery, nextAttemptAt: delivery.dueAt ?? delivery.nextAttemptAt }));
}
