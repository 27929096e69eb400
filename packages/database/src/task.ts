import type { Channel, EventName, JsonObject } from '@ringback/callbacks';
import { type BearerRow, openBearer } from './bearer.js';
import { lazy } from './lazy.js';
import type { Delivery } from './generated/client.js';
import type { Database } from './open.js';
import { readTemplate } from './template-text.js';
import { SecretError } from './secrets.js';
import { openSigningSecrets, signingColumns, type SigningRow } from './signing-columns.js';

/** One delivery with its event, and its webhook as it is now. */
export type DeliveryTask = {
  id: string;
  state: Delivery['state'];
  /** Attempts made so far. */
  attempts: number;
  /** How many workers died while they had it. */
  crashCount: number;
  /** Names the lease under which it was claimed; null when there is none. */
  lease: string | null;
  /** It was final, and is sent once more because somebody asked for that. */
  resend: boolean;
  /** When the event was stored. */
  receivedAt: Date;
  channel: Channel;
  event: EventName;
  eventId: string;
  accountId: string;
  /** JSON text of an object; null when it is large, so that whoever needs it loads it when its time has come. */
  payload: string | null;
  webhookId: string;
  uri: string;
  template: JsonObject | null;
  signing: boolean;
  /** The webhook's secret, else the account's callback token. Reading it throws a SecretError when no key of ours fits. */
  readonly bearer: string;
  /** Keys of the Standard Webhooks signature; two for a while after a rotation, none when it does not sign. The same. */
  readonly signingSecrets: string[];
  /** What its challenges carry, so that it can be masked; null without one, and when no key of ours opens it. */
  readonly verificationCode: string | null;
  active: boolean;
  deleted: boolean;
  /** The webhook is not to be called until it is released. */
  paused: boolean;
  /** The webhook has a rate limit. */
  limited: boolean;
  /** State of the newest verification run; null when the webhook never had one. */
  verification: 'pending' | 'passed' | 'failed' | null;
};

/** The same with its payload in hand. */
export type CallableTask = DeliveryTask & { payload: string };

export type TaskRow = Omit<DeliveryTask, 'bearer' | 'signingSecrets' | 'template'> &
  BearerRow &
  SigningRow & { template: string | null };

/** Whether a webhook `w` is paused. One that is inactive or deleted is not: what is for it is skipped. */
export const isPaused = `w.paused_at IS NOT NULL AND w.active AND w.deleted_at IS NULL`;

// Hundreds of tasks are in hand at a time.
const mostInTask = 64 * 1024;

/** The payload as a task has it: null when it is large. */
export const payloadInTask = (payload: string): string | null =>
  payload.length <= mostInTask && Buffer.byteLength(payload) <= mostInTask ? payload : null;

/** What an attempt needs to know of a webhook `w` and its account `a`. */
export const webhookColumns = `w.uri, w.payload AS template, w.signing, w.active, w.deleted_at IS NOT NULL AS deleted,
    ${isPaused} AS paused, w.rate_limit IS NOT NULL AS limited, w.secret, a.callback_token AS "callbackToken", ${signingColumns},
    w.verification_code AS "verificationCode",
    (SELECT v.state FROM verifications v WHERE v.webhook_id = w.id ORDER BY v.id DESC LIMIT 1) AS verification`;

/** The same of a delivery `d`, its event `e`, its webhook and its account. */
export const taskColumns = `d.id, d.state, d.attempts, d.crash_count AS "crashCount", d.lease_expires_at::text AS lease, d.resent_from IS NOT NULL AS resend,
    e.received_at AS "receivedAt", d.channel, e.name AS event, e.id AS "eventId", d.account_id AS "accountId",
    CASE WHEN octet_length(e.payload) <= ${mostInTask} THEN e.payload END AS payload, w.id AS "webhookId", ${webhookColumns}`;

/** Where they come from. With `LEFT JOIN`, a delivery whose event was deleted has a row without one. */
export const taskJoins = (
  join: 'JOIN' | 'LEFT JOIN' = 'JOIN',
) => `${join} events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
    JOIN accounts a ON a.id = w.account_id`;

export function toTask<Row extends TaskRow>(db: Database, row: Row): DeliveryTask & Pick<Row, 'payload'> {
  const { secret: _sealed, callbackToken: _too, signingSecret: _this, previousSigningSecret: _that, ...task } = row;
  // Opened by whoever needs it, so that one that does not open is in nobody else's way.
  const bearer = lazy(() => openBearer(db, row));
  const signingSecrets = lazy(() => openSigningSecrets(db, row));
  const verificationCode = lazy(() => openVerificationCode(db, row));
  return {
    ...task,
    template: readTemplate(row.template),
    get bearer() {
      return bearer();
    },
    get signingSecrets() {
      return signingSecrets();
    },
    get verificationCode() {
      return verificationCode();
    },
  };
}

/** A callback does not carry it, so one that does not open holds no callback back. */
function openVerificationCode({ secrets }: Database, { webhookId, verificationCode }: TaskRow): string | null {
  if (verificationCode === null) return null;
  try {
    return secrets.open(verificationCode, { column: 'webhooks.verification_code', id: webhookId });
  } catch (error) {
    if (error instanceof SecretError) return null;
    throw error;
  }
}
