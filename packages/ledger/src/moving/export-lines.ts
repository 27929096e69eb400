import { type EventName, idempotencyKey, type JsonObject, readTemplate } from '@ringback/rules';
import { parseTheme } from '../accounts/accounts.js';
import type { Database } from '../connection/database.js';
import { idAt, lowestId } from '../sql/ids.js';
import { arrayOf, integer, text, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';
import { accessTokenColumns, accessTokenSql } from './import-access-tokens.js';
import { accountColumns, accountSql } from './import-accounts.js';
import { subscriptionColumns, subscriptionSql } from './import-subscriptions.js';
import { webhookColumns, webhookSql } from './import-webhooks.js';
import { findNewestVerifications, type MovedVerification } from './moved-verifications.js';

/**
 * Whose objects to export, all when `accountId` is absent, and whether with their secrets. `since`: only the keys of
 * events that were received at this time or later.
 */
type ExportRequest = { accountId?: string | undefined; withSecrets: boolean; since?: Date | undefined };

/** A line of an export, as `ringback import` reads it. Only `payload` may have numbers that JavaScript cannot hold. */
type ExportedLine = Record<string, unknown> & { type: string; payload?: JsonObject | null };

const pageSize = 500;
const ofAccountSql = `($accountId::uuid IS NULL OR account_id = $accountId)
    AND account_id IN (SELECT a.id FROM accounts a WHERE a.deleted_at IS NULL)`;
type PageParameters = { accountId: string | null; after: string };

const accountsStatement = statement<PageParameters>(
  `SELECT ${accountSql}
    FROM accounts WHERE deleted_at IS NULL AND ($accountId::uuid IS NULL OR id = $accountId) AND id > $after::uuid ORDER BY id LIMIT ${pageSize}`,
).returns(accountColumns);

const tokensStatement = statement<PageParameters>(
  `SELECT ${accessTokenSql}
    FROM access_tokens
    WHERE ${ofAccountSql} AND id > $after::uuid ORDER BY id LIMIT ${pageSize}`,
).returns(accessTokenColumns);

const webhooksStatement = statement<PageParameters>(
  `SELECT ${webhookSql},
      ARRAY (SELECT s.id FROM subscriptions s WHERE s.webhook_id = webhooks.id ORDER BY s.id) AS "subscriptionIds"
    FROM webhooks
    WHERE ${ofAccountSql} AND id > $after::uuid ORDER BY id LIMIT ${pageSize}`,
).returns({ ...webhookColumns, subscriptionIds: arrayOf(integer) });

const subscriptionsStatement = statement<{ accountId: string | null; after: number }>(
  `SELECT ${subscriptionSql}
    FROM subscriptions WHERE ${ofAccountSql} AND id > $after::int ORDER BY id LIMIT ${pageSize}`,
).returns(subscriptionColumns);

const eventsStatement = statement<PageParameters>(
  `SELECT id, account_id AS "accountId", webhook_id AS "webhookId", name, identity, platform_event_id AS "platformEventId",
      CASE WHEN platform_event_id IS NULL THEN payload END AS payload FROM events
    WHERE id > $after::uuid AND state <> 'rejected' AND account_id IS NOT NULL AND ${ofAccountSql}
    ORDER BY id LIMIT ${pageSize}`,
).returns({
  id: uuid,
  accountId: uuid.withoutNulls,
  webhookId: uuid.orNull,
  name: text.as<EventName>().withoutNulls,
  identity: text.orNull,
  platformEventId: text.orNull,
  payload: text.orNull,
});

// The index of the events' ids is one of ranges.
const keysStatement = statement<{ ids: string[]; first: string; last: string }>(
  `SELECT key, event_id AS "eventId" FROM event_keys
    WHERE event_id BETWEEN $first::uuid AND $last::uuid AND event_id IN (SELECT unnest($ids::uuid[]))`,
).returns({ key: text, eventId: uuid });

/**
 * The objects as lines, each after those that it refers to. What may have been cleared since an earlier export is null
 * and not absent, so that an import makes a copy equal. Without secrets, there are no access tokens, and webhooks have
 * `********` in place of a user and password. Throws an UnreadableSecretError if no key decrypts a secret.
 */
export async function* exportLines(db: Database, request: ExportRequest): AsyncGenerator<ExportedLine> {
  yield* exportAccounts(db, request);
  if (request.withSecrets) yield* exportTokens(db, request);
  yield* exportWebhooks(db, request);
  yield* exportSubscriptions(db, request);
  yield* exportEventKeys(db, request);
}

/** All rows of a statement that returns one page after an id. */
async function* allPages<Row extends { id: string | number }>(
  first: Row['id'],
  readPage: (after: Row['id']) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let after = first; ;) {
    const rows = await readPage(after);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.id;
  }
}

async function* exportAccounts(db: Database, { accountId = null, withSecrets }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = (after: string) => accountsStatement.rows(db.pool, { accountId, after });
  for await (const { id, name, externalId, callbackToken, ...row } of allPages(lowestId, readPage)) {
    const location = { column: 'accounts.callback_token', id } as const;
    yield {
      type: 'account',
      ...{ id, name, external_id: externalId },
      status: row.isSuspended ? 'suspended' : 'active',
      theme: parseTheme(row.theme),
      callback_token: withSecrets ? db.secrets.decrypt(callbackToken, location) : undefined,
      ...{ created_at: row.createdAt, updated_at: row.updatedAt },
    };
  }
}

type OrNull = Omit<ExportRequest, 'accountId'> & { accountId?: string | null | undefined };

async function* exportTokens(db: Database, { accountId = null }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = (after: string) => tokensStatement.rows(db.pool, { accountId, after });
  for await (const row of allPages(lowestId, readPage)) {
    const { id, hash, name, scopes } = row;
    const times = { created_at: row.createdAt, revoked_at: row.revokedAt ?? undefined };
    yield {
      type: 'access_token',
      id,
      account_id: row.accountId,
      sha256: hash,
      name: name ?? undefined,
      scopes,
      ...times,
    };
  }
}

type WebhookSecret = 'secret' | 'verification_code' | 'signing_secret' | 'previous_signing_secret' | 'userinfo';

async function* exportWebhooks(db: Database, { accountId = null, withSecrets }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = async (after: string) => {
    const rows = await webhooksStatement.rows(db.pool, { accountId, after });
    const verifications = await findNewestVerifications(
      db.pool,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, verification: verifications.get(row.id) }));
  };
  for await (const row of allPages(lowestId, readPage)) {
    const { id, secret, verificationCode, signingSecret } = row;
    const read = (text: string | null, name: WebhookSecret) =>
      text === null ? null : db.secrets.decrypt(text, { column: `webhooks.${name}`, id });
    const isOverlapping = row.previousSignsUntil !== null && row.previousSignsUntil > new Date().toISOString();
    const userinfo = withSecrets ? read(row.userinfo, 'userinfo') : null;
    const secrets = withSecrets && {
      secret: read(secret, 'secret'),
      verification_code: read(verificationCode, 'verification_code'),
      signing_secret: read(signingSecret, 'signing_secret') ?? undefined,
      previous_signing_secret: isOverlapping ? read(row.previousSigningSecret, 'previous_signing_secret') : null,
      previous_signs_until: isOverlapping ? row.previousSignsUntil : null,
    };
    yield {
      type: 'webhook',
      id,
      account_id: row.accountId,
      name: row.name,
      uri: userinfo === null ? row.uri : row.uri.replace('//********@', () => `//${userinfo}@`),
      status: row.active ? '1' : '0',
      ...secrets,
      payload: row.bodyTemplate === null ? null : readTemplate(row.bodyTemplate),
      signing: row.signing,
      rate_limit: row.rateLimit,
      tls: row.tlsCa === null ? null : { ca: row.tlsCa },
      paused: row.pausedAt === null ? null : { since: row.pausedAt, reason: row.pauseReason },
      verification: row.verification && verificationOf(row.verification),
      created_at: row.createdAt,
      updated_at: row.updatedAt,
      deleted_at: row.deletedAt,
      subscriptions: row.subscriptionIds,
    };
  }
}

/** A verification with the field names of the API. */
const verificationOf = ({ id, state, attemptCount, ...verification }: MovedVerification) => ({
  id,
  status: state,
  attempts: attemptCount,
  reason: verification.reason,
  advice: verification.advice,
  next_attempt_at: verification.nextAttemptAt,
  created_at: verification.createdAt,
  updated_at: verification.updatedAt,
});

async function* exportSubscriptions(db: Database, { accountId = null }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = (after: number) => subscriptionsStatement.rows(db.pool, { accountId, after });
  for await (const row of allPages(0, readPage)) {
    const { id, event, identity } = row;
    const ids = { account_id: row.accountId, webhook_id: row.webhookId };
    yield { type: 'subscription', id, ...ids, event, identity, created_at: row.createdAt };
  }
}

/** The keys of events by the events' ids, which are in ascending order. */
async function findKeys(db: Database, ids: string[]): Promise<Map<string, string>> {
  const [first] = ids;
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return new Map();
  const rows = await keysStatement.rows(db.pool, { ids, first, last });
  return new Map(rows.map(({ eventId, key }) => [eventId, key]));
}

/**
 * The key of an event without an `event_id` covers its payload, so the key itself is exported. To derive it costs less
 * than to find it. An event that was imported by its key has no payload.
 */
async function* exportEventKeys(db: Database, { accountId = null, since }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = async (after: string) => {
    const rows = await eventsStatement.rows(db.pool, { accountId, after });
    const imported = rows.filter(({ platformEventId, payload }) => platformEventId === null && payload === null);
    const keys = await findKeys(
      db,
      imported.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, importedKey: keys.get(row.id) }));
  };
  for await (const event of allPages(since === undefined ? lowestId : idAt(since), readPage)) {
    const { name, webhookId, platformEventId, payload } = event;
    const ids = { account_id: event.accountId, webhook_id: webhookId ?? undefined };
    if (platformEventId !== null) yield { type: 'event_key', ...ids, event: name, event_id: platformEventId };
    else {
      const derive = (payload: string) => idempotencyKey({ ...event, payload, messageId: null, mobile: null });
      const key = payload === null ? event.importedKey : derive(payload);
      if (key !== undefined) yield { type: 'event_key', ...ids, event: name, key };
    }
  }
}
