import { createHmac } from 'node:crypto';
import { insertChange } from './changes.js';
import { deleteInBatches, maxDeletedAtOnce } from './delete-in-batches.js';
import type { Actor, Database } from './open.js';
import { statement, unpreparedStatement } from './statement.js';
import { findByHash, hashOf, newToken, type Scope, scopes as allScopes } from './tokens.js';
import { isUuid } from './uuid.js';

/** What a session of the portal allows, and how its page looks. */
export type NewPortalSession = {
  scopes: Scope[];
  /** The webhooks that the session is limited to; null means no limit. */
  webhookIds: string[] | null;
  expiresInS: number;
  /** The name of the person, for the log of changes. */
  actor: string | null;
  /** Whether the page masks phone numbers. */
  mask: boolean;
  theme: object | null;
  returnUrl: string | null;
  /** The access token or platform token that opens it. The session ends when that token is revoked. */
  openerId: string | null;
};

/** A newly opened session. The token of its link is not stored, so it cannot be shown again. */
export type OpenedPortalSession = { id: string; linkToken: string; expiresAt: Date };

/** A requested webhook is not a live webhook of the account. Nothing was stored. */
export class UnknownWebhooksError extends Error {
  override readonly name = 'UnknownWebhooksError';
}

/** The account has the maximum number of sessions that have not ended. Nothing was stored. */
export class TooManyPortalSessionsError extends Error {
  override readonly name = 'TooManyPortalSessionsError';
}

/**
 * Maximum sessions of an account that have not ended. Concurrent requests do not count each other, so they may exceed
 * it.
 */
export const maxPortalSessions = 1_000;

const bearerPrefix = 'rb_session_';

/** Whether a token has the form of a session's bearer. Bearers are in another table than access tokens. */
export const isPortalBearer = (token: string) => token.startsWith(bearerPrefix);

/** The bearer of a session. It is derived from the link's token, so a link can be exchanged again after a reload. */
const bearerOf = (linkToken: string) =>
  `${bearerPrefix}${createHmac('sha256', linkToken).update('bearer').digest('base64url')}`;

const isLive = `(s.ended_at IS NULL AND s.expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.id = s.opener_id AND t.revoked_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM platform_tokens t WHERE t.id = s.opener_id AND t.revoked_at IS NOT NULL))`;

const check = unpreparedStatement<{ accountId: string; webhookIds: string[] | null }>(
  `SELECT (SELECT count(*)::int FROM portal_sessions WHERE account_id = a.id AND expires_at > clock_timestamp()
      AND ended_at IS NULL) AS sessions,
    (SELECT count(*)::int FROM webhooks WHERE account_id = a.id AND deleted_at IS NULL
      AND id = ANY($webhookIds::uuid[])) AS webhooks
  FROM accounts a WHERE a.id = $accountId`,
);

type InsertParameters = Omit<NewPortalSession, 'theme' | 'actor'> & {
  accountId: string;
  linkHash: string;
  bearerHash: string;
  theme: string | null;
  person: string | null;
  actor: Actor;
};

const field = (name: string, value: string) =>
  `json_build_object('field', '${name}', 'before', NULL, 'after', ${value})`;
const allowed = `json_build_array(${field('scopes', `array_to_string(scopes, ',')`)},
    ${field('webhook_ids', `array_to_string(webhook_ids, ',')`)}, ${field('actor', 'actor')})`;

const insert = unpreparedStatement<InsertParameters>(
  `WITH changed_rows AS (
    INSERT INTO portal_sessions (account_id, link_hash, bearer_hash, scopes, webhook_ids, opener_id, actor, mask, theme,
        return_url, expires_at)
      VALUES ($accountId, $linkHash, $bearerHash, $scopes::scope[], $webhookIds::uuid[], $openerId, $person, $mask,
        $theme, $returnUrl, clock_timestamp() + $expiresInS::float8 * interval '1 second')
      RETURNING *
  ), log AS (${insertChange('portal_session.created', { actor: '$actor', changed: allowed })})
  SELECT id, expires_at AS "expiresAt" FROM changed_rows`,
);

/**
 * Opens a session for the account. Null when there is no such account. Throws an UnknownWebhooksError or a
 * TooManyPortalSessionsError.
 */
export async function openPortalSession(
  db: Database,
  accountId: string,
  session: NewPortalSession,
): Promise<OpenedPortalSession | null> {
  if (!isUuid(accountId)) return null;
  const webhookIds = session.webhookIds && uniqueIds(session.webhookIds);
  const checked = await db.pool.query<{ sessions: number; webhooks: number }>(check({ accountId, webhookIds }));
  const [found] = checked.rows;
  if (!found) return null;
  if (webhookIds && found.webhooks !== webhookIds.length) throw new UnknownWebhooksError('unknown webhooks');
  if (found.sessions >= maxPortalSessions) throw new TooManyPortalSessionsError('too many sessions');
  const linkToken = newToken('portal');
  const hashes = { linkHash: hashOf(linkToken), bearerHash: hashOf(bearerOf(linkToken)) };
  const { actor: person, theme, ...rest } = session;
  const scopes = allScopes.filter((scope) => session.scopes.includes(scope));
  const values = { ...rest, ...hashes, scopes, accountId, webhookIds, person, theme: theme && JSON.stringify(theme) };
  const { rows } = await db.pool.query<Omit<OpenedPortalSession, 'linkToken'>>(insert({ ...values, actor: db.actor }));
  const [opened] = rows;
  if (!opened) throw new Error('the statement that stores a session returned no row');
  return { ...opened, linkToken };
}

/**
 * The distinct ids in lower case, as PostgreSQL writes them. Throws an UnknownWebhooksError for a text that is not an
 * id.
 */
function uniqueIds(ids: string[]): string[] {
  if (!ids.every(isUuid)) throw new UnknownWebhooksError('unknown webhooks');
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

type PortalCaller = {
  id: string;
  accountId: string;
  scopes: Scope[];
  webhookIds: string[] | null;
  person: string | null;
};

const findBearers = statement<{ hashes: string[] }>(
  'find_portal_bearers',
  `SELECT s.bearer_hash AS hash, s.id, s.account_id AS "accountId", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.actor AS person
    FROM portal_sessions s WHERE s.bearer_hash = ANY($hashes::text[]) AND ${isLive}`,
);

/** Creates a function that finds a session by its bearer; null if it is unknown, has expired or was ended. */
export function createPortalBearerFinder(db: Database): (bearer: string) => Promise<PortalCaller | null> {
  const toCaller = ({ id, accountId, scopes, webhookIds, person }: PortalCaller) => ({
    ...{ id, accountId, scopes, webhookIds, person },
  });
  return findByHash(db, findBearers, toCaller);
}

/** The data that the page of a session needs. `bearer` is null if the session has expired or was ended. */
export type PortalSession = Omit<NewPortalSession, 'expiresInS' | 'openerId'> & {
  accountId: string;
  accountName: string;
  bearer: string | null;
  expiresAt: Date;
};

type LinkRow = Omit<PortalSession, 'bearer'> & { isLive: boolean };

const findLinks = statement<{ hashes: string[] }>(
  'find_portal_links',
  `SELECT s.link_hash AS hash, s.account_id AS "accountId", a.name AS "accountName", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.actor, s.mask, s.theme, s.return_url AS "returnUrl",
      s.expires_at AS "expiresAt", ${isLive} AS "isLive"
    FROM portal_sessions s JOIN accounts a ON a.id = s.account_id WHERE s.link_hash = ANY($hashes::text[])`,
);

/** Creates a function that finds a session by the token of its link; null if it is unknown or was deleted. */
export function createPortalLinkFinder(db: Database): (linkToken: string) => Promise<PortalSession | null> {
  const find = findByHash(db, findLinks, (row: LinkRow) => row);
  return async (linkToken) => {
    const row = await find(linkToken);
    if (!row) return null;
    const { isLive: live, ...session } = row;
    return { ...session, bearer: live ? bearerOf(linkToken) : null };
  };
}

/** Who ends a session: a token of the account, or of a platform if `accountId` is null. */
export type SessionEnder = { accountId: string | null; tokenId: string; scopes: readonly Scope[] };

type EndParameters = { id: string; accountId: string | null; tokenId: string; scopes: Scope[]; actor: Actor };

const end = unpreparedStatement<EndParameters>(
  `WITH found AS (
    SELECT id, ARRAY(SELECT s FROM unnest(scopes) WITH ORDINALITY AS u (s, n)
        WHERE opener_id IS DISTINCT FROM $tokenId AND s <> ALL($scopes::scope[]) ORDER BY n)::text[] AS missing
      FROM portal_sessions WHERE id = $id AND ($accountId::uuid IS NULL OR account_id = $accountId)
  ), changed_rows AS (
    UPDATE portal_sessions p SET ended_at = clock_timestamp() FROM found
      WHERE p.id = found.id AND found.missing = '{}' AND ended_at IS NULL RETURNING p.*
  ), log AS (${insertChange('portal_session.ended', { actor: '$actor' })})
  SELECT missing[1] AS "missingScope" FROM found`,
);

/**
 * Ends a session that the token opened, or whose scopes the token has. Null when there is no such session; otherwise a
 * scope that the token lacks, if it lacks one, and then the session goes on. A session that has already ended does not
 * change.
 */
export async function endPortalSession(
  db: Database,
  { accountId, tokenId, scopes }: SessionEnder,
  id: string,
): Promise<{ missingScope: Scope | null } | null> {
  if (!isUuid(id)) return null;
  const values = { id, accountId, tokenId, scopes: [...scopes], actor: db.actor };
  const { rows } = await db.pool.query<{ missingScope: Scope | null }>(end(values));
  return rows[0] ?? null;
}

/** Deletes sessions that expired a day ago or earlier, in statements of 10,000 rows. Returns the number deleted. */
export async function dropPortalSessions(db: Database): Promise<number> {
  const deletion = `DELETE FROM portal_sessions WHERE id IN (SELECT id FROM portal_sessions
    WHERE expires_at < clock_timestamp() - interval '1 day' ORDER BY expires_at LIMIT ${maxDeletedAtOnce})`;
  return deleteInBatches(db, deletion);
}
