import { randomBytes } from 'node:crypto';
import { addedFieldSql, insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { lockAccountStatement } from '../connection/lock.js';
import type { Scope } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { createHashFinder, fromHashesSql, generateToken, hashOf, scopes as allScopes, suspendedSql } from './tokens.js';
import { arrayOf, boolean, integer, json, text, timestamp, uuid } from '../sql/columns.js';
import { deleteInBatches, maxDeletedAtOnce, preparedStatement, statement } from '../sql/statement.js';

/** A session of the portal to create: what it allows, until when, and how the portal looks. */
export type NewPortalSession = {
  scopes: Scope[];
  /** The webhooks that the session is limited to; null means no limit. */
  webhookIds: string[] | null;
  expiresInS: number;
  /** The name of the portal user, for the change history. */
  portalUserName: string | null;
  /** Whether the portal masks phone numbers. */
  maskPhoneNumbers: boolean;
  theme: object | null;
  returnUrl: string | null;
  /**
   * The access token or platform token that creates it. The session ends when that token is revoked. Null for an
   * operator.
   */
  creatorId: string | null;
};

/** A newly created session. The token of its link is not stored, so it cannot be shown again. */
export type CreatedPortalSession = { id: string; linkToken: string; expiresAt: Date };

/** A requested webhook is not a live webhook of the account. Nothing was stored. */
export class UnknownWebhooksError extends Error {
  override readonly name = 'UnknownWebhooksError';
}

/** The account has the maximum number of sessions that have not ended. Nothing was stored. */
export class TooManyPortalSessionsError extends Error {
  override readonly name = 'TooManyPortalSessionsError';
}

/** The account is suspended. Nothing was stored. */
export class SuspendedAccountError extends Error {
  override readonly name = 'SuspendedAccountError';
}

/** Maximum sessions of an account that have not ended. */
export const maxPortalSessions = 1_000;

/**
 * SQL: whether the session of a row `s` of `portal_sessions` is live. It ends when it expires, when a request ends it,
 * and when the token that created it is revoked.
 */
const liveSql = `(s.ended_at IS NULL AND s.expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.id = s.creator_id AND t.revoked_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM platform_tokens t WHERE t.id = s.creator_id AND t.revoked_at IS NOT NULL))`;

const bearerPrefix = 'rb_session_';

/** Whether a token has the form of a session's bearer. The hashes of bearers are not in the table of access tokens. */
export const isPortalBearer = (token: string) => token.startsWith(bearerPrefix);

/** A new bearer. It is random, so that the holder of a copied link cannot derive it. */
const generateBearer = () => `${bearerPrefix}${randomBytes(32).toString('base64url')}`;

const checkStatement = statement<{ accountId: string; webhookIds: string[] | null }>(
  `SELECT (SELECT count(*)::int FROM portal_sessions s WHERE s.account_id = a.id AND ${liveSql}) AS sessions,
    (SELECT count(*)::int FROM webhooks WHERE account_id = a.id AND deleted_at IS NULL
      AND id = ANY($webhookIds::uuid[])) AS webhooks, a.suspended_at IS NOT NULL AS "isSuspended"
  FROM accounts a WHERE a.id = $accountId AND a.deleted_at IS NULL`,
).returns({ sessions: integer, webhooks: integer, isSuspended: boolean });

type InsertParameters = Omit<NewPortalSession, 'theme'> & {
  accountId: string;
  linkHash: string;
  theme: string | null;
  actor: Actor;
};

const allowedFieldsSql = `json_build_array(${addedFieldSql('scopes', `array_to_string(scopes, ',')`)},
    ${addedFieldSql('webhook_ids', `array_to_string(webhook_ids, ',')`)}, ${addedFieldSql('actor', 'portal_user_name')})`;

const insertStatement = statement<InsertParameters>(
  `WITH changed_rows AS (
    INSERT INTO portal_sessions (account_id, link_hash, scopes, webhook_ids, creator_id, portal_user_name, mask_phone_numbers,
        theme, return_url, expires_at)
      VALUES ($accountId, $linkHash, $scopes::scope[], $webhookIds::uuid[], $creatorId, $portalUserName, $maskPhoneNumbers,
        $theme, $returnUrl, clock_timestamp() + $expiresInS::float8 * interval '1 second')
      RETURNING *
  ), log AS (${insertChangeSql('portal_session.created', { actor: '$actor', changed: allowedFieldsSql })})
  SELECT id, expires_at AS "expiresAt" FROM changed_rows`,
).returns({ id: uuid, expiresAt: timestamp });

/**
 * Creates a session for the account. Null when there is no such account. Throws a SuspendedAccountError, an
 * UnknownWebhooksError or a TooManyPortalSessionsError; concurrent requests do not exceed the maximum.
 */
export async function createPortalSession(
  db: Database,
  accountId: string,
  session: NewPortalSession,
): Promise<CreatedPortalSession | null> {
  if (!isUuid(accountId)) return null;
  const webhookIds = session.webhookIds && uniqueIds(session.webhookIds);
  const linkToken = generateToken('portal');
  const { theme, ...rest } = session;
  const scopes = allScopes.filter((scope) => session.scopes.includes(scope));
  const values = {
    ...rest,
    linkHash: hashOf(linkToken),
    scopes,
    accountId,
    webhookIds,
    theme: theme && JSON.stringify(theme),
  };
  return inTransaction(db, async (client) => {
    await lockAccountStatement.run(client, { accountId });
    const counts = await checkStatement.row(client, { accountId, webhookIds });
    if (!counts) return null;
    if (counts.isSuspended) throw new SuspendedAccountError('the account is suspended');
    if (webhookIds && counts.webhooks !== webhookIds.length) throw new UnknownWebhooksError('unknown webhooks');
    if (counts.sessions >= maxPortalSessions) throw new TooManyPortalSessionsError('too many sessions');
    const created = await insertStatement.row(client, { ...values, actor: db.actor });
    if (!created) throw new Error('the statement that stores a session returned no row');
    return { ...created, linkToken };
  });
}

/**
 * The distinct ids in lower case, as PostgreSQL writes them. Throws an UnknownWebhooksError for a text that is not an
 * id.
 */
function uniqueIds(ids: string[]): string[] {
  if (!ids.every(isUuid)) throw new UnknownWebhooksError('unknown webhooks');
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** The session of a request with a bearer, and what it allows. */
type PortalCaller = {
  id: string;
  accountId: string;
  scopes: Scope[];
  webhookIds: string[] | null;
  portalUserName: string | null;
  /** Whether the account is suspended. */
  isSuspended: boolean;
};

const findBearersStatement = preparedStatement<{ hashes: string }>(
  'find_portal_bearers',
  `SELECT s.bearer_hash AS hash, s.id, s.account_id AS "accountId", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.portal_user_name AS "portalUserName", ${suspendedSql('s')} AS "isSuspended"
    FROM ${fromHashesSql('portal_sessions', 'bearer_hash', 's')} WHERE ${liveSql}`,
).returns({
  hash: text.withoutNulls,
  id: uuid,
  accountId: uuid,
  scopes: arrayOf(text).as<Scope[]>(),
  webhookIds: arrayOf(text).orNull,
  portalUserName: text.orNull,
  isSuspended: boolean,
});

/** Creates a function that finds a session by its bearer; null if the bearer is unknown or the session has ended. */
export function createPortalBearerFinder(db: Database): (bearer: string) => Promise<PortalCaller | null> {
  const toCaller = ({ id, accountId, scopes, webhookIds, portalUserName, isSuspended }: PortalCaller) => ({
    id,
    accountId,
    scopes,
    webhookIds,
    portalUserName,
    isSuspended,
  });
  return createHashFinder(db, findBearersStatement, toCaller);
}

/** The data that the portal needs for a session. */
export type PortalSession = Omit<NewPortalSession, 'expiresInS' | 'creatorId'> & {
  accountId: string;
  accountName: string;
  /** The theme of the account, over which that of the session wins. */
  accountTheme: object | null;
  expiresAt: Date;
};

/**
 * What became of a link: it was exchanged for a new bearer, it had been used before, its session has ended, or its
 * account is suspended.
 */
type ExchangedLink = { session: PortalSession } & (
  { state: 'exchanged'; bearer: string } | { state: 'used' | 'ended' | 'suspended' }
);

type LinkRow = PortalSession & { isLive: boolean; isUsed: boolean; isSuspended: boolean };

const findLinksStatement = preparedStatement<{ hashes: string }>(
  'find_portal_links',
  `SELECT s.link_hash AS hash, s.account_id AS "accountId", a.name AS "accountName", a.theme::json AS "accountTheme", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.portal_user_name AS "portalUserName", s.mask_phone_numbers AS "maskPhoneNumbers", s.theme, s.return_url AS "returnUrl",
      s.expires_at AS "expiresAt", ${liveSql} AS "isLive", s.bearer_hash IS NOT NULL AS "isUsed",
      a.suspended_at IS NOT NULL AS "isSuspended"
    FROM ${fromHashesSql('portal_sessions', 'link_hash', 's')} JOIN accounts a ON a.id = s.account_id`,
).returns({
  hash: text,
  accountId: uuid,
  accountName: text,
  accountTheme: json<object>().orNull,
  scopes: arrayOf(text).as<Scope[]>(),
  webhookIds: arrayOf(text).orNull,
  portalUserName: text.orNull,
  maskPhoneNumbers: boolean,
  theme: json<object>().orNull,
  returnUrl: text.orNull,
  expiresAt: timestamp,
  isLive: boolean,
  isUsed: boolean,
  isSuspended: boolean,
});

// Of concurrent exchanges, the row's lock lets one store its bearer.
const exchangeStatement = statement<{ linkHash: string; bearerHash: string }>(
  `UPDATE portal_sessions s SET bearer_hash = $bearerHash
    WHERE s.link_hash = $linkHash AND s.bearer_hash IS NULL AND ${liveSql}`,
);

/**
 * Creates a function that exchanges the token of a session's link for the session's bearer, once. Null if the token is
 * unknown or its row was deleted. Only a link that can be exchanged causes a write.
 */
export function createPortalLinkExchanger(db: Database): (linkToken: string) => Promise<ExchangedLink | null> {
  const find = createHashFinder(db, findLinksStatement, (row: LinkRow) => row);
  return async (linkToken) => {
    const row = await find(linkToken);
    if (!row) return null;
    const { isLive, isUsed, isSuspended, ...session } = row;
    if (!isLive) return { session, state: 'ended' };
    if (isSuspended) return { session, state: 'suspended' };
    if (isUsed) return { session, state: 'used' };
    const bearer = generateBearer();
    const hashes = { linkHash: hashOf(linkToken), bearerHash: hashOf(bearer) };
    const exchanged = await exchangeStatement.run(db.pool, hashes);
    return exchanged === 1 ? { session, state: 'exchanged', bearer } : { session, state: 'used' };
  };
}

/** The token that ends a session: an account's access token, or a platform token if `accountId` is null. */
type Credential = { accountId: string | null; credentialId: string; scopes: readonly Scope[] };

type EndParameters = { id: string; accountId: string | null; credentialId: string; scopes: Scope[]; actor: Actor };

// `missing`: the scopes of the session that the token lacks; empty if the token created the session. `insertChangeSql`
// records a change for each row of the CTE `changed_rows`.
const endStatement = statement<EndParameters>(
  `WITH found AS (
    SELECT id, ARRAY(SELECT s FROM unnest(scopes) WITH ORDINALITY AS u (s, n)
        WHERE creator_id IS DISTINCT FROM $credentialId AND s <> ALL($scopes::scope[]) ORDER BY n)::text[] AS missing
      FROM portal_sessions WHERE id = $id AND ($accountId::uuid IS NULL OR account_id = $accountId)
  ), changed_rows AS (
    UPDATE portal_sessions p SET ended_at = clock_timestamp() FROM found
      WHERE p.id = found.id AND found.missing = '{}' AND ended_at IS NULL RETURNING p.*
  ), log AS (${insertChangeSql('portal_session.ended', { actor: '$actor' })})
  SELECT missing[1] AS "missingScope" FROM found`,
).returns({ missingScope: text.as<Scope>().orNull });

/**
 * Ends a session. A token may end the sessions that it created, and those whose scopes it has; otherwise the result is
 * a scope that it lacks. Null if the account has no such session. An ended session does not change.
 */
export async function endPortalSession(
  db: Database,
  { accountId, credentialId, scopes }: Credential,
  id: string,
): Promise<{ missingScope: Scope | null } | null> {
  if (!isUuid(id)) return null;
  const values = { id, accountId, credentialId, scopes: [...scopes], actor: db.actor };
  return (await endStatement.row(db.pool, values)) ?? null;
}

const deleteStatement = statement(`DELETE FROM portal_sessions WHERE id IN (SELECT id FROM portal_sessions
  WHERE expires_at < clock_timestamp() - interval '1 day' ORDER BY expires_at LIMIT ${maxDeletedAtOnce})`);

/**
 * Deletes sessions that expired over a day ago, in statements of 10,000 rows. Returns the number of deleted sessions.
 */
export async function deleteExpiredPortalSessions(db: Database): Promise<number> {
  return deleteInBatches(db, deleteStatement, {});
}
