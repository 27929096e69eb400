import type { Attempt, Delivery } from './generated/client.js';
import type { Database } from './open.js';
import { type Pausing, watchWebhooks } from './pausing.js';
import { statement } from './statement.js';
import { type CallableTask, type DeliveryTask, taskColumns, taskJoins, type TaskRow, toTask } from './task.js';
import { isUuid } from './uuid.js';

export type { Attempt, CallableTask, Delivery, DeliveryTask };

const load = statement('load', `SELECT ${taskColumns} FROM deliveries d ${taskJoins()} WHERE d.id = ANY($1::uuid[])`);

/** The deliveries of these ids that exist, in no order. */
export async function loadDeliveries(db: Database, ids: string[]): Promise<DeliveryTask[]> {
  const { rows } = await db.pool.query<TaskRow>(load([ids.filter(isUuid)]));
  return rows.map((row) => toTask(db, row));
}

/** The payload of an event; undefined when there is no such event any more. */
export async function loadPayload(db: Database, eventId: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [eventId]);
  return rows[0]?.payload;
}

/** One HTTP call and what it means for its delivery. */
export type AttemptRecord = {
  deliveryId: string;
  number: number;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  url: string;
  answer: string | null;
  warnings: string[];
  kind: 'scheduled' | 'resend';
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  remoteAddress: string | null;
  /** What `compactHeaders` says has to be kept of the request's headers. */
  requestHeaders: Record<string, string | null>;
  /** Null when it is the plain event. */
  requestBody: string | null;
  responseHeaders: Record<string, string> | null;
  state: Delivery['state'];
  /** Until the next attempt, counted from now by the database's clock; null when the state is final. */
  waitMs: number | null;
};

// Arrays of arrays cannot be ragged in PostgreSQL, so each list of warnings travels as JSON. Ordered by id: rows are locked in
// the same order as by releases and renewals.
const recordAnd = (watch: string) =>
  `WITH input AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::int[], $5::text[], $6::int[], $7::text[],
      $8::text[], $9::text[], $10::json[], $11::delivery_state[], $12::float8[], $13::text[], $14::int[], $15::int[],
      $16::int[], $17::int[], $18::text[], $19::json[], $20::text[], $21::json[])
    AS t(id, number, started_at, duration_ms, outcome, status_code, error_code, url, answer, warnings, state, wait_ms,
      kind, dns_ms, connect_ms, tls_ms, first_byte_ms, remote_address, request_headers, request_body, response_headers)
    ORDER BY id
  ), counted AS (
    UPDATE deliveries d SET attempts = i.number, lease_expires_at = NULL, crash_count = 0, resent_from = NULL,
      updated_at = clock_timestamp(),
      state = CASE WHEN d.resent_from IS NULL OR i.state = 'delivered' THEN i.state
        WHEN d.resent_from = 'delivered' THEN d.resent_from ELSE 'failed' END,
      due_at = CASE WHEN d.resent_from IS NULL
        THEN clock_timestamp() + i.wait_ms * interval '1 millisecond' END
    FROM input i WHERE d.id = i.id AND d.state = 'pending' AND d.attempts = i.number - 1 RETURNING d.id, d.webhook_id
  )${watch}
  INSERT INTO attempts
      (delivery_id, number, started_at, duration_ms, outcome, status_code, error_code, url, answer, warnings,
      kind, dns_ms, connect_ms, tls_ms, first_byte_ms, remote_address, request_headers, request_body, response_headers)
    SELECT i.id, number, started_at, duration_ms, outcome, status_code, error_code, url, answer,
      ARRAY(SELECT json_array_elements_text(warnings)),
      kind, dns_ms, connect_ms, tls_ms, first_byte_ms, remote_address, request_headers, request_body, response_headers
    FROM input i JOIN counted USING (id)
  RETURNING delivery_id AS id`;
const record = statement('record', recordAnd(''));
const recordAndWatch = statement('record_and_watch', recordAnd(`, ${watchWebhooks}`));

/**
 * Records attempts and moves their deliveries, all or none. One that was sent again and failed is delivered when it was
 * before, else failed, and its schedule does not begin anew. Answers with the ids that were recorded: an attempt whose
 * number is already taken, because another process made it, changes nothing. With `pausing`, webhooks that fail for long
 * or are gone are paused.
 */
export async function recordAttempts(
  db: Database,
  made: AttemptRecord[],
  pausing: Pausing = { failingAfterDays: 0, gone: false },
): Promise<Set<string>> {
  const column = <T>(read: (attempt: AttemptRecord) => T) => made.map(read);
  const values = [
    column((attempt) => attempt.deliveryId),
    column((attempt) => attempt.number),
    column((attempt) => attempt.startedAt),
    column((attempt) => attempt.durationMs),
    column((attempt) => attempt.outcome),
    column((attempt) => attempt.statusCode),
    column((attempt) => attempt.errorCode),
    column((attempt) => attempt.url),
    column((attempt) => attempt.answer),
    column((attempt) => JSON.stringify(attempt.warnings)),
    column((attempt) => attempt.state),
    column((attempt) => attempt.waitMs),
    column((attempt) => attempt.kind),
    column((attempt) => attempt.dnsMs),
    column((attempt) => attempt.connectMs),
    column((attempt) => attempt.tlsMs),
    column((attempt) => attempt.firstByteMs),
    column((attempt) => attempt.remoteAddress),
    column((attempt) => JSON.stringify(attempt.requestHeaders)),
    column((attempt) => attempt.requestBody),
    column((attempt) => attempt.responseHeaders && JSON.stringify(attempt.responseHeaders)),
  ];
  const { failingAfterDays, gone } = pausing;
  const isOn = failingAfterDays > 0 || gone;
  const recorded = isOn ? recordAndWatch([...values, failingAfterDays, gone]) : record(values);
  const { rows } = await db.pool.query<{ id: string }>(recorded);
  return new Set(rows.map(({ id }) => id));
}

const end = `UPDATE deliveries SET reason = $2, due_at = NULL, lease_expires_at = NULL, crash_count = 0, resent_from = NULL, updated_at = clock_timestamp(),
    state = CASE WHEN $3 = 'skipped' OR resent_from = 'delivered' THEN COALESCE(resent_from, 'skipped') ELSE 'failed' END
  WHERE id = $1 AND state = 'pending'`;

/**
 * Ends a pending delivery without a call: `skipped` when its webhook is not to be called, `failed` when it cannot be.
 * One that was to be sent again is what it was before, but that one that was skipped may have failed now.
 */
export async function endDelivery(
  db: Database,
  id: string,
  state: 'skipped' | 'failed',
  reason: string,
): Promise<void> {
  await db.pool.query(end, [id, reason, state]);
}

export type DeliveryWithAttempts = Delivery & { made: Attempt[] };

/** Deliveries with their attempts, newest first; of one account, webhook, event or state where given. */
export async function listDeliveries(
  db: Database,
  filter: { accountId?: string; webhookId?: string; eventId?: string; state?: Delivery['state']; limit: number },
): Promise<DeliveryWithAttempts[]> {
  const { limit, ...where } = filter;
  const include = { made: { orderBy: { number: 'asc' as const } } };
  const found = await db.prisma.delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
  // The release before kept the time in the other column.
  return found.map((delivery) => ({ ...delivery, nextAttemptAt: delivery.dueAt ?? delivery.nextAttemptAt }));
}
