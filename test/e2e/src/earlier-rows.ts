import { createHash } from 'node:crypto';
import { idempotencyKey } from '@ringback/rules';

/** The migrations that a database has, in their order, and the origin of the receiver in its rows. */
export type EarlierState = { migrations: string[]; origin: string };

/** The deliveries, pending or final, by their numbers in the ids. */
export const deliveries = {
  delivered: 1,
  failed: 2,
  skipped: 3,
  due: 4,
  later: 5,
  parked: 6,
  leaseExpired: 7,
  ofPausedWebhook: 8,
} as const;
type Delivery = keyof typeof deliveries;

const hash = (text: string) => `'${createHash('sha256').update(text).digest('hex')}'`;
const hexNow = Date.now().toString(16).padStart(12, '0');
/** A UUID of version 7 for row `row` of the state with this number of migrations. */
export const idOf = (state: number, row: number) =>
  `${hexNow.slice(0, 8)}-${hexNow.slice(8)}-7000-8000-${String(state * 100 + row).padStart(12, '0')}`;
export const tokenOf = (state: number) => `rb_access_of_state_${state}`;
export const accountRow = 90;
const [webhookRow, deletedRow, pausedRow] = [91, 92, 93];

/** The event of a delivery. Its callback contains the message id. */
export function eventOf(state: number, name: Delivery) {
  const messageId = `m-${state}-${name}`;
  const payload = `{"id":"${messageId}","status":"DELIVRD","price":2.0000}`;
  const nothing = { webhookId: null, identity: null, platformEventId: null };
  return {
    name: 'sms:message:status' as const,
    accountId: idOf(state, accountRow),
    messageId,
    mobile: '9189',
    payload,
    ...nothing,
  };
}

/** Statements that insert rows of every kind as a release whose newest migration is the last of `migrations` did. */
export function earlierRows({ migrations, origin }: EarlierState): string[] {
  const state = migrations.length;
  const has = (name: string) => migrations.some((migration) => migration.endsWith(`_${name}`));
  const id = (row: number) => `'${idOf(state, row)}'`;
  const account = id(accountRow);
  const when = (condition: boolean, ...statements: string[]) => (condition ? statements : []);
  return [
    `INSERT INTO accounts (id, name, callback_token) VALUES (${account}, 'acme ${state}', 'rb_callback_${state}')`,
    `INSERT INTO access_tokens (account_id, hash) VALUES (${account}, ${hash(tokenOf(state))})`,
    `INSERT INTO access_tokens (account_id, hash, revoked_at) VALUES (${account}, ${hash(`revoked ${state}`)}, now())`,
    `INSERT INTO platform_tokens (name, hash) VALUES ('platform', ${hash(`rb_platform_${state}`)})`,
    `INSERT INTO webhooks (id, account_id, name, uri, secret, payload) VALUES
      (${id(webhookRow)}, ${account}, 'Größe 👍', '${origin}/', 'secret', NULL)`,
    `INSERT INTO webhooks (id, account_id, name, uri, active, deleted_at, payload, verification_code, signing) VALUES
      (${id(deletedRow)}, ${account}, 'gone', '${origin}/gone', false, now(), '{"n": 2.0000, "a": "{{units}}"}', 'code', false)`,
    `INSERT INTO verifications (webhook_id, state, attempts, next_attempt_at) VALUES (${id(webhookRow)}, 'passed', 1, NULL)`,
    `INSERT INTO verifications (webhook_id, state, attempts, reason, next_attempt_at) VALUES
      (${id(deletedRow)}, 'failed', 3, 'status 500', NULL)`,
    `INSERT INTO subscriptions (account_id, event, identity, webhook_id) VALUES
      (${account}, 'sms:message:status', 'all', ${id(webhookRow)}), (${account}, 'rcs:message:in', 'number:1', ${id(webhookRow)})`,
    ...when(
      !has('trimmed_identities'),
      `INSERT INTO subscriptions (account_id, event, identity, webhook_id) VALUES
        (${account}, 'rcs:message:in', ' number:1', ${id(webhookRow)}), (${account}, 'rcs:message:in', 'number:2 ', ${id(webhookRow)})`,
    ),
    `INSERT INTO events (id, name, account_id, message_id, payload, state) VALUES
      (${id(80)}, 'rcs:message:in', ${account}, 'nobody', '{"id":"nobody"}', 'unrouted')`,
    `INSERT INTO events (id, name, account_id, state, reason, envelope) VALUES
      (${id(81)}, 'sms:message:status', ${account}, 'rejected', 'payload.id is missing', '{"payload":{}}')`,
    ...when(
      has('signing_secrets'),
      `UPDATE webhooks SET signing_secret = 'whsec_new', previous_signing_secret = 'whsec_old', previous_signs_until = now()
        WHERE id = ${id(webhookRow)}`,
    ),
    ...when(
      has('replays'),
      `INSERT INTO replays (account_id, webhook_id, filter, state, rate, total, replayed, finished_at) VALUES
        (${account}, ${id(webhookRow)}, '{"status": "failed"}', 'done', 50, 3, 3, now())`,
    ),
    ...when(
      has('scopes_and_changes'),
      `INSERT INTO access_tokens (account_id, hash, scopes) VALUES (${account}, ${hash(`reader ${state}`)}, '{read}')`,
      `INSERT INTO changes (account_id, actor, action, object_type, object_id) VALUES
        (${account}, 'operator', 'webhook.created', 'webhook', ${id(webhookRow)}),
        (${account}, 'operator', '${has('resumed_webhooks') ? 'webhook.resumed' : 'webhook.released'}', 'webhook', ${id(webhookRow)})`,
    ),
    ...when(
      has('pause_and_rate_limit'),
      `INSERT INTO webhooks (id, account_id, name, uri, paused_at, pause_reason, pause_told, rate_limit) VALUES
        (${id(pausedRow)}, ${account}, 'paused', '${origin}/paused', now(), 'failing', true, 1000)`,
    ),
    ...when(
      has('portal_sessions'),
      `INSERT INTO portal_sessions (account_id, link_hash, bearer_hash, scopes, expires_at) VALUES
        (${account}, ${hash(`link ${state}`)}, ${hash(`bearer ${state}`)}, '{read}', now() + interval '1 hour')`,
    ),
    ...deliveryRows(state, has),
  ];
}

function deliveryRows(state: number, has: (name: string) => boolean): string[] {
  const dueAt = has('ledger_dispatch') ? 'next_attempt_at = NULL, due_at' : 'next_attempt_at';
  const late = `now() - interval '2 minutes'`;
  const row = (delivery: Delivery, columns: string, options: { attempts?: number; webhook?: number } = {}) =>
    deliveryRow({ state, has, delivery, columns, ...options });
  const rows = [
    row('delivered', `state = 'delivered', next_attempt_at = NULL`, { attempts: 1 }),
    row('failed', `state = 'failed', next_attempt_at = NULL`, { attempts: 4 }),
    row('skipped', `state = 'skipped', next_attempt_at = NULL, reason = 'the webhook was deleted'`, {
      webhook: deletedRow,
    }),
    row('due', `${dueAt} = ${late}`),
    row('later', `${dueAt} = now() + interval '1 hour'`, { attempts: 1 }),
  ];
  if (has('ledger_dispatch')) {
    const columns = `next_attempt_at = NULL, due_at = ${late}, lease_expires_at = ${late}, crash_count = 1`;
    return [...rows, row('leaseExpired', columns)].flat();
  }
  const parked = `next_attempt_at = ${late}, parked_at`;
  if (has('parked_deliveries')) rows.push(row('parked', `${parked} = ${late}`));
  if (has('leases')) rows.push(row('leaseExpired', `${parked} = ${late}, leased = true`));
  if (has('pause_and_rate_limit')) rows.push(row('ofPausedWebhook', `${parked} = 'infinity'`, { webhook: pausedRow }));
  return rows.flat();
}

type RowOptions = {
  state: number;
  has: (name: string) => boolean;
  delivery: Delivery;
  columns: string;
  attempts?: number;
  webhook?: number;
};

/** The event, its idempotency key, the delivery and its attempts. */
function deliveryRow({ state, has, delivery, columns, attempts = 0, webhook = webhookRow }: RowOptions): string[] {
  const [eventId, deliveryId] = [idOf(state, deliveries[delivery] + 20), idOf(state, deliveries[delivery])];
  const event = eventOf(state, delivery);
  const { accountId: account, messageId: message, payload } = event;
  const key = idempotencyKey(event);
  const hasKeyTable = has('partitions');
  const keyColumn = hasKeyTable ? '' : ', key';
  const succeeded = delivery === 'delivered';
  const verdict = (number: number) => (succeeded ? 'delivered' : number === 4 ? 'failed' : 'retry');
  return [
    `INSERT INTO events (id, name, account_id, message_id, mobile, payload, state${keyColumn}) VALUES
      ('${eventId}', 'sms:message:status', '${account}', '${message}', '9189', '${payload}', 'routed'${hasKeyTable ? '' : `, '${key}'`})`,
    ...(hasKeyTable ? [`INSERT INTO event_keys (key, event_id) VALUES ('${key}', '${eventId}')`] : []),
    ...(has('deliveries_of_event') ? [`UPDATE events SET delivery_count = 1 WHERE id = '${eventId}'`] : []),
    // The check accepts the default of next_attempt_at. The UPDATE then sets the columns of the delivery's state.
    `INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, attempts) VALUES
      ('${deliveryId}', '${eventId}', '${account}', '${idOf(state, webhook)}', 'sms', ${attempts})`,
    `UPDATE deliveries SET ${columns} WHERE id = '${deliveryId}'`,
    ...Array.from({ length: attempts }, (_, index) => index + 1).flatMap((number) => [
      `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, url, answer, warnings) VALUES
        ('${deliveryId}', ${number}, now(), 12, 'response', ${succeeded ? 200 : 500}, 'http://a.example/', 'ok', '{one}')`,
      ...(has('attempt_detail')
        ? [
            `UPDATE attempts SET kind = 'scheduled', dns_ms = 1, request_headers = '{"a": "b"}', request_body = '{}'
              WHERE delivery_id = '${deliveryId}'`,
          ]
        : []),
      ...(has('statistics')
        ? [
            `UPDATE attempts SET verdict = '${verdict(number)}' WHERE delivery_id = '${deliveryId}' AND number = ${number}`,
          ]
        : []),
    ]),
  ];
}
