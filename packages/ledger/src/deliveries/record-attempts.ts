import type { Database } from '../connection/open.js';
import { preparedStatement } from '../sql/statement.js';
import { addAttemptEntriesSql } from '../statistics/count-statistics.js';
import { type AutoPauseRules, pauseFailingWebhooksCtes } from '../webhooks/pausing.js';
import { type AttemptRecord, attemptRecords, storedColumnNames } from './attempt-records.js';

type RecordParameters = {
  /** Attempts, encoded by `attemptRecords`. */
  attempts: string;
  /** 0: failing webhooks are not paused. */
  failingAfterDays: number;
  pauseOnGone: boolean;
};

/**
 * Stores each attempt, updates its delivery and adds an entry for statistics, if the delivery is pending and the
 * attempt's number is the next one. `resent_from` is the state before a resend, and null without a resend. PostgreSQL
 * updates the rows in the order of `input`, by id. The statements that release and renew leases use the same order, so
 * that two batches never deadlock (`lock-order.test.ts`). `moreCtes` is appended to the CTEs. Finds deliveries by
 * primary key.
 */
const recordSql = (moreCtes: string) =>
  `WITH input AS (
    SELECT * FROM ${attemptRecords.from('$attempts')} ORDER BY delivery_id
  ), updated AS (
    UPDATE deliveries d SET attempt_count = i.number, leased_at = NULL, lease_expires_at = NULL, expired_lease_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN d.resent_from IS NULL OR i.state = 'delivered' THEN i.state
        WHEN d.resent_from = 'delivered' THEN d.resent_from ELSE 'failed' END,
      due_at = CASE WHEN d.resent_from IS NULL
        THEN clock_timestamp() + i.wait_ms * interval '1 millisecond' END
    FROM input i WHERE d.id = i.delivery_id AND d.state = 'pending' AND d.attempt_count = i.number - 1
    RETURNING d.id AS delivery_id, d.webhook_id, d.account_id
  ), entries AS (
    ${addAttemptEntriesSql}
  )${moreCtes}
  INSERT INTO attempts (${storedColumnNames})
    SELECT ${storedColumnNames} FROM input JOIN updated USING (delivery_id)
  RETURNING delivery_id AS id`;
const recordStatement = preparedStatement<Pick<RecordParameters, 'attempts'>>('record', recordSql(''));
const recordAndPauseStatement = preparedStatement<RecordParameters>(
  'record_and_pause',
  recordSql(`, ${pauseFailingWebhooksCtes}`),
);

/**
 * Records attempts and updates their deliveries, in one statement. Leaves out attempts whose number is not the next one
 * of their delivery, and attempts of deliveries that are no longer pending. A resent delivery gets one attempt. If this
 * attempt fails, a delivery that was delivered before stays delivered, and any other becomes failed. Returns the ids of
 * the deliveries whose attempt was recorded. `rules` say which webhooks to pause.
 */
export async function recordAttempts(
  db: Database,
  attempts: AttemptRecord[],
  rules: AutoPauseRules = { failingAfterDays: 0, pauseOnGone: false },
): Promise<Set<string>> {
  const { failingAfterDays, pauseOnGone } = rules;
  const encoded = attemptRecords.encode(attempts);
  const mayPause = failingAfterDays > 0 || pauseOnGone;
  const query = mayPause
    ? recordAndPauseStatement({ attempts: encoded, failingAfterDays, pauseOnGone })
    : recordStatement({ attempts: encoded });
  const { rows } = await db.pool.query<{ id: string }>(query);
  return new Set(rows.map(({ id }) => id));
}
