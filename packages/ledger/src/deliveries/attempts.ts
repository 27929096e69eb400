import type { EventName } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import type { DeliveryState } from '../generated/enums.js';
import { defineRecords, namesOf, type RecordColumns, preparedStatement } from '../sql/statement.js';
import { addAttemptEntriesSql } from '../statistics/count-statistics.js';
import { type AutoPauseRules, pauseFailingWebhooksCtes } from '../webhooks/pauses.js';
import { uuid } from '../sql/columns.js';

/** The request of an attempt and what came of it. An attempt of a delivery and one of a test call have these. */
export type AttemptFields = {
  url: string;
  warnings: string[];
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  /** What the webhook's owner should do; null when the attempt succeeded. */
  advice: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  remoteAddress: string | null;
  /** The request headers that `compactHeaders` selects. Null when neither they nor the body are stored. */
  requestHeaders: Record<string, string | null> | null;
  /** Null when the body can be derived from the event, or is not stored. */
  requestBody: string | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
};

/** An attempt of a delivery, and what it means for the delivery. */
export type AttemptRecord = AttemptFields & {
  deliveryId: string;
  event: EventName;
  number: number;
  kind: 'scheduled' | 'resend';
  startedAt: Date;
  /**
   * The state that the verdict gives (`pending` for a retry). A failed resend leaves a delivered delivery delivered.
   */
  state: DeliveryState;
  /** The time from the end of this attempt to the next one. Null when the state is final. */
  waitMs: number | null;
  /** `performance.now()` at the end of the attempt. */
  endedAtMonotonicMs: number;
};

/** The columns that `recordAttempts` copies into `attempts`. */
const storedColumns: RecordColumns<AttemptRecord> = {
  delivery_id: ['uuid', (attempt) => attempt.deliveryId],
  number: ['int', (attempt) => attempt.number],
  started_at: ['timestamptz', (attempt) => attempt.startedAt],
  duration_ms: ['int', (attempt) => attempt.durationMs],
  outcome: ['text', (attempt) => attempt.outcome],
  status_code: ['int', (attempt) => attempt.statusCode],
  error_code: ['text', (attempt) => attempt.errorCode],
  advice: ['text', (attempt) => attempt.advice],
  url: ['text', (attempt) => attempt.url],
  response_body: ['text', (attempt) => attempt.responseBody],
  warnings: ['text[]', (attempt) => attempt.warnings],
  kind: ['text', (attempt) => attempt.kind],
  dns_ms: ['int', (attempt) => attempt.dnsMs],
  connect_ms: ['int', (attempt) => attempt.connectMs],
  tls_ms: ['int', (attempt) => attempt.tlsMs],
  first_byte_ms: ['int', (attempt) => attempt.firstByteMs],
  remote_address: ['text', (attempt) => attempt.remoteAddress],
  request_headers: ['json', (attempt) => attempt.requestHeaders],
  request_body: ['text', (attempt) => attempt.requestBody],
  response_headers: ['json', (attempt) => attempt.responseHeaders],
  verdict: ['text', ({ state }) => (state === 'pending' ? 'retry' : state)],
};

/** The columns of `attempts` that are copied from the input. */
const storedColumnNames = namesOf(storedColumns);

export const attemptRecords = defineRecords<AttemptRecord>({
  ...storedColumns,
  state: ['delivery_state', (attempt) => attempt.state],
  // What is left of the wait when the statement runs, which is late after an outage of PostgreSQL.
  wait_ms: [
    'float8',
    ({ waitMs, endedAtMonotonicMs }) =>
      waitMs === null ? null : Math.max(0, waitMs - (performance.now() - endedAtMonotonicMs)),
  ],
  event: ['text', (attempt) => attempt.event],
});

type RecordParameters = {
  /** Attempts, encoded by `attemptRecords`. */
  attempts: string;
  /** 0: failing webhooks are not paused. */
  failingAfterDays: number;
  pauseOnGone: boolean;
};

/**
 * Stores each attempt whose number is the next one of a pending delivery, updates the delivery, and adds an entry for
 * statistics. `resent_from` is the state before a resend. `moreCtes` is appended to the CTEs.
 *
 * PostgreSQL updates the rows in the order of `input`, by id. The statements that release and renew leases use the same
 * order, otherwise two batches could deadlock (`lock-order.test.ts`).
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
    RETURNING d.id AS delivery_id, d.webhook_id, d.account_id, d.state AS new_state
  ), entries AS (
    ${addAttemptEntriesSql}
  )${moreCtes}
  INSERT INTO attempts (${storedColumnNames}, delivery_state)
    SELECT ${storedColumnNames}, NULLIF(new_state, 'pending') FROM input JOIN updated USING (delivery_id)
  RETURNING delivery_id AS id`;
const recordStatement = preparedStatement<Pick<RecordParameters, 'attempts'>>('record', recordSql('')).returns({
  id: uuid,
});
const recordAndPauseStatement = preparedStatement<RecordParameters>(
  'record_and_pause',
  recordSql(`, ${pauseFailingWebhooksCtes}`),
).returns({ id: uuid });

/** Those of the given attempts that are recorded. */
const recordedStatement = preparedStatement<Pick<RecordParameters, 'attempts'>>(
  'recorded',
  `SELECT delivery_id AS id FROM ${attemptRecords.from('$attempts')} JOIN attempts USING (delivery_id, number, started_at)`,
).returns({ id: uuid });

/**
 * Records attempts in one statement and returns the ids of their deliveries, also of those that an earlier call has
 * recorded, because its reply may have been lost. Leaves out an attempt whose number is not the next one, or whose
 * delivery is no longer pending. A resent delivery gets one attempt: if it fails, a delivered delivery stays delivered,
 * and any other becomes failed. `rules` say which webhooks to pause.
 */
export async function recordAttempts(
  db: Database,
  attempts: AttemptRecord[],
  rules: AutoPauseRules = { failingAfterDays: 0, pauseOnGone: false },
): Promise<Set<string>> {
  const { failingAfterDays, pauseOnGone } = rules;
  const encoded = attemptRecords.encode(attempts);
  const mayPause = failingAfterDays > 0 || pauseOnGone;
  const rows = mayPause
    ? await recordAndPauseStatement.rows(db.pool, { attempts: encoded, failingAfterDays, pauseOnGone })
    : await recordStatement.rows(db.pool, { attempts: encoded });
  const ids = new Set(rows.map(({ id }) => id));
  const others = attempts.filter(({ deliveryId }) => !ids.has(deliveryId));
  const earlier =
    others.length > 0 ? await recordedStatement.rows(db.pool, { attempts: attemptRecords.encode(others) }) : [];
  for (const { id } of earlier) ids.add(id);
  return ids;
}
