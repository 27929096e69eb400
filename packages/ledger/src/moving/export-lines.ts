import { type EventName, idempotencyKey, type JsonObject, readTemplate } from '@ringback/rules';
import { parseTheme } from '../accounts/accounts.js';
import type { Database } from '../connection/database.js';
import { idAt, lowestId } from '../sql/ids.js';
import { text, uuid } from '../sql/columns.js';
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
type ExportedLine = Record<string, unknown> & { type: string; payload?: JsonObject };

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
  `SELECT ${webhookSql}
    FROM webhooks
    WHERE ${ofAccountSql} AND id > $after::uuid ORDER BY id LIMIT ${pageSize}`,
).returns(webhookColumns);

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

/**
 * The objects as lines, each after those that it refers to. Without secrets, there are no access tokens, and webhooks
 * have `********` in place of a user and password. Throws an UnreadableSecretError if no key decrypts a secret.
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
      ...{ id, name, external_id: externalId ?? undefined },
      status: row.isSuspended ? 'suspended' : undefined,
      theme: parseTheme(row.theme) ?? undefined,
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
      text === null ? undefined : db.secrets.decrypt(text, { column: `webhooks.${name}`, id });
    const isOverlapping = row.previousSignsUntil !== null && row.previousSignsUntil > new Date().toISOString();
    const userinfo = withSecrets ? read(row.userinfo, 'userinfo') : undefined;
    const secrets = withSecrets && {
      secret: read(secret, 'secret'),
      verification_code: read(verificationCode, 'verification_code'),
      signing_secret: read(signingSecret, 'signing_secret'),
      ...(isOverlapping && {
        previous_signing_secret: read(row.previousSigningSecret, 'previous_signing_secret'),
        previous_signs_until: row.previousSignsUntil,
      }),
    };
    const payload = row.bodyTemplate === null ? null : readTemplate(row.bodyTemplate);
    yield {
      type: 'webhook',
      id,
      account_id: row.accountId,
      name: row.name,
      uri: userinfo === undefined ? row.uri : row.uri.replace('//********@', () => `//${userinfo}@`),
      status: row.active ? '1' : '0',
      ...secrets,
      ...(payload === null ? {} : { payload }),
      signing: row.signing ? undefined : false,
      rate_limit: row.rateLimit ?? undefined,
      tls: row.tlsCa === null ? undefined : { ca: row.tlsCa },
      paused: row.pausedAt === null ? undefined : { since: row.pausedAt, reason: row.pauseReason },
      verification: row.verification && verificationOf(row.verification),
      created_at: row.createdAt,
      updated_at: row.updatedAt,
      deleted_at: row.deletedAt ?? undefined,
    };
  }
}

/** A verification with the field names of the API. */
const verificationOf = ({ id, state, attemptCount, ...verification }: MovedVerification) => ({
  id,
  status: state,
  attempts: attemptCount,
  reason: verification.reason ?? undefined,
  advice: verification.advice ?? undefined,
  next_attempt_at: verification.nextAttemptAt ?? undefined,
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

/** The key of an event without an `event_id` covers its payload, so the key itself is exported. */
async function* exportEventKeys(db: Database, { accountId = null, since }: OrNull): AsyncGenerator<ExportedLine> {
  const readPage = (after: string) => eventsStatement.rows(db.pool, { accountId, after });
  for await (const event of allPages(since === undefined ? lowestId : idAt(since), readPage)) {
    const { name, webhookId, platformEventId, payload } = event;
    const ids = { account_id: event.accountId, webhook_id: webhookId ?? undefined };
    if (platformEventId !== null) yield { type: 'event_key', ...ids, event: name, event_id: platformEventId };
    else if (payload !== null) {
      const key = idempotencyKey({ ...event, payload, messageId: null, mobile: null });
      yield { type: 'event_key', ...ids, event: name, key };
    }
  }
}
