import { type Channel, type EventName, type JsonObject, readTemplate, type SkipReason } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import { DeliveryState, VerificationState } from '../generated/enums.js';
import { isUuid } from '../sql/ids.js';
import { encryptedSecrets, type EncryptedSecrets, encryptedSecretsOf } from '../webhooks/callback-secrets.js';
import { onHoldWithAccountSql } from '../webhooks/pauses.js';
import { boolean, enumOf, integer, type RowOf, select, text, timestamp, uuid } from '../sql/columns.js';
import { preparedStatement, statement } from '../sql/statement.js';

/** Whether an attempt of this delivery is its first: not a retry, a resend or a replay. */
export const isFirstAttempt = ({ attemptCount, isResend }: DeliveryTask): boolean => attemptCount === 0 && !isResend;

/** Why a delivery is skipped; null if it may be attempted. Checked before every attempt. */
export function skipReason(
  task: Pick<DeliveryTask, 'isDeleted' | 'isActive' | 'verification'>,
  { requireVerification }: { requireVerification: boolean },
): SkipReason | null {
  if (task.isDeleted) return 'webhook deleted';
  if (!task.isActive) return 'webhook inactive';
  const isUnverified = task.verification !== null && task.verification !== 'passed';
  if (requireVerification && isUnverified) return 'webhook not verified';
  return null;
}

/** What is left to do for a delivery after its lease ended. */
export type LeaseResult =
  /** Nothing: the delivery is final, or its lease was lost. */
  | { type: 'done' }
  /** Released without an attempt and without a wait. A claim decides what follows: it leaves out a webhook on hold. */
  | { type: 'dueNow' }
  /** The delivery is due after `waitMs`: for a retry, or after a release with a wait. */
  | { type: 'dueIn'; waitMs: number };

// A worker holds hundreds of tasks in memory. Larger payloads are loaded only when the attempt has a permit.
const maxInlinePayloadBytes = 64 * 1024;

/** The payload as a task holds it: null above 64 KiB. */
export const payloadInTask = (payload: string): string | null =>
  payload.length <= maxInlinePayloadBytes && Buffer.byteLength(payload) <= maxInlinePayloadBytes ? payload : null;

/** What a task has of a webhook `w` and its account `a`. */
const webhookSelection = select({
  uri: ['w.uri', text],
  /** CA certificates in PEM that are trusted beside the public authorities. */
  ca: ['w.tls_ca', text.orNull],
  bodyTemplate: ['w.body_template', text.orNull],
  signing: ['w.signing', boolean],
  isActive: ['w.active', boolean],
  isDeleted: ['w.deleted_at IS NOT NULL', boolean],
  /**
   * Whether the webhook is paused or its account suspended: it gets no callbacks of deliveries until its owner ends the
   * pause, or the platform the suspension.
   */
  isOnHold: [onHoldWithAccountSql, boolean],
  /** The state of the webhook's newest verification; null without one. */
  verification: [
    '(SELECT v.state FROM verifications v WHERE v.webhook_id = w.id ORDER BY v.id DESC LIMIT 1)',
    enumOf('verification_state', VerificationState).orNull,
  ],
});
export const webhookColumns = { ...webhookSelection.columns, ...encryptedSecrets.columns };
export const webhookColumnsSql = `${webhookSelection.sql}, ${encryptedSecrets.sql}`;

/** What a task has of a delivery `d`, its event `e` and its webhook `w`. */
const deliverySelection = select({
  id: ['d.id', uuid],
  state: ['d.state', enumOf('delivery_state', DeliveryState)],
  /** The number of recorded attempts. */
  attemptCount: ['d.attempt_count', integer],
  /**
   * The number of leases that have expired since the last recorded attempt: a worker died, stalled or was cut off from
   * PostgreSQL.
   */
  expiredLeaseCount: ['d.expired_lease_count', integer],
  /** The time at which the lease started, as text. It identifies the lease. Null without a lease. */
  leasedAt: ['d.leased_at::text', text.orNull],
  /** Whether the delivery was final, and a customer, an operator or a replay resends it. */
  isResend: ['d.resent_from IS NOT NULL', boolean],
  /** When the event was stored. */
  receivedAt: ['e.received_at', timestamp],
  channel: ['d.channel', text.as<Channel>()],
  eventName: ['e.name', text.as<EventName>().withoutNulls],
  eventId: ['e.id', uuid],
  accountId: ['d.account_id', uuid],
  /** The event's payload, as JSON text. Null above 64 KiB: such a payload is loaded when the attempt has a permit. */
  payload: [`CASE WHEN octet_length(e.payload) <= ${maxInlinePayloadBytes} THEN e.payload END`, text.orNull],
  webhookId: ['w.id', uuid],
});
export const taskColumns = { ...deliverySelection.columns, ...webhookColumns };
export const taskColumnsSql = `${deliverySelection.sql}, ${webhookColumnsSql}`;

type WebhookRow = RowOf<typeof webhookColumns>;
export type TaskRow = RowOf<typeof taskColumns>;

/**
 * A delivery with its event, and with its webhook as it was when the task was loaded. `encrypted`: the secrets of the
 * callback, as they are stored. `SecretDecrypter` decrypts them.
 */
export type DeliveryTask = Omit<TaskRow, keyof EncryptedSecrets | 'bodyTemplate'> & {
  bodyTemplate: JsonObject | null;
  encrypted: EncryptedSecrets;
};

export type TaskWithPayload = DeliveryTask & { payload: string };

/**
 * The joins for `taskColumnsSql`. With `LEFT JOIN`, a delivery whose event was deleted has a row without an event. Each
 * row is read by its id (OFFSET 0): the planner doesn't know how few deliveries there are, and would read all events
 * and webhooks of a young installation to join them.
 */
export const taskJoinsSql = (join: 'JOIN' | 'LEFT JOIN' = 'JOIN') => `
    ${join} LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e ON true
    CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE id = d.webhook_id OFFSET 0) w
    CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = w.account_id OFFSET 0) a`;

/**
 * Makes a task of what is known of a delivery, and of the row with its webhook. It decrypts nothing: a secret that no
 * key decrypts concerns only the delivery that needs it. All fields are named, because V8 takes 30 µs to spread an
 * object of this size into another one.
 */
export function toTask<Payload extends string | null>(
  delivery: Omit<TaskRow, keyof WebhookRow> & { payload: Payload },
  webhook: WebhookRow,
): DeliveryTask & { payload: Payload } {
  const { id, state, attemptCount, expiredLeaseCount, leasedAt, isResend, receivedAt, channel } = delivery;
  const { eventName, eventId, accountId, payload, webhookId } = delivery;
  const { uri, ca, bodyTemplate, signing, isActive, isDeleted, isOnHold, verification } = webhook;
  return {
    id,
    state,
    attemptCount,
    expiredLeaseCount,
    leasedAt,
    isResend,
    receivedAt,
    channel,
    eventName,
    eventId,
    accountId,
    payload,
    webhookId,
    uri,
    ca,
    bodyTemplate: bodyTemplate === null ? null : readTemplate(bodyTemplate),
    signing,
    encrypted: encryptedSecretsOf(webhook),
    isActive,
    isDeleted,
    isOnHold,
    verification,
  };
}

const loadStatement = preparedStatement<{ ids: string[] }>(
  'load',
  `SELECT ${taskColumnsSql} FROM deliveries d ${taskJoinsSql()} WHERE d.id = ANY($ids::uuid[])`,
).returns(taskColumns);

/** The tasks of the deliveries with these ids, in any order. Leaves out unknown ids. Uses the primary keys. */
export async function loadTasks(db: Database, ids: string[]): Promise<DeliveryTask[]> {
  const rows = await loadStatement.rows(db.pool, { ids: ids.filter(isUuid) });
  return rows.map((row) => toTask(row, row));
}

// A delivery's event has a payload: only rejected events may lack one.
const loadPayloadStatement = statement<{ eventId: string }>('SELECT payload FROM events WHERE id = $eventId').returns({
  payload: text.withoutNulls,
});

const payloadBytesStatement = statement<{ eventId: string }>(
  'SELECT octet_length(payload) AS bytes FROM events WHERE id = $eventId',
).returns({ bytes: integer });

/** The size of an event's payload, which PostgreSQL reads without the payload; undefined when the event was deleted. */
export async function readPayloadBytes(db: Database, eventId: string): Promise<number | undefined> {
  return (await payloadBytesStatement.row(db.pool, { eventId }))?.bytes;
}

/** The payload of an event; undefined when the event was deleted. */
export async function loadPayload(db: Database, eventId: string): Promise<string | undefined> {
  return (await loadPayloadStatement.row(db.pool, { eventId }))?.payload;
}
