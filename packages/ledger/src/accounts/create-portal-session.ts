import { addedFieldSql, insertChangeSql } from '../changes.js';
import type { Actor, Database } from '../connection/open.js';
import { liveSql } from './portal-session-state.js';
import { unpreparedStatement } from '../sql/statement.js';
import type { Scope } from '../generated/client.js';
import { hashOf, generateToken, scopes as allScopes } from './tokens.js';
import { isUuid } from '../sql/uuid.js';

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

/**
 * Maximum sessions of an account that have not ended. Concurrent requests do not count each other, so they may exceed
 * it.
 */
export const maxPortalSessions = 1_000;

const checkStatement = unpreparedStatement<{ accountId: string; webhookIds: string[] | null }>(
  `SELECT (SELECT count(*)::int FROM portal_sessions s WHERE s.account_id = a.id AND ${liveSql}) AS sessions,
    (SELECT count(*)::int FROM webhooks WHERE account_id = a.id AND deleted_at IS NULL
      AND id = ANY($webhookIds::uuid[])) AS webhooks
  FROM accounts a WHERE a.id = $accountId`,
);

type InsertParameters = Omit<NewPortalSession, 'theme'> & {
  accountId: string;
  linkHash: string;
  theme: string | null;
  actor: Actor;
};

const allowedFieldsSql = `json_build_array(${addedFieldSql('scopes', `array_to_string(scopes, ',')`)},
    ${addedFieldSql('webhook_ids', `array_to_string(webhook_ids, ',')`)}, ${addedFieldSql('actor', 'portal_user_name')})`;

const insertStatement = unpreparedStatement<InsertParameters>(
  `WITH changed_rows AS (
    INSERT INTO portal_sessions (account_id, link_hash, scopes, webhook_ids, creator_id, portal_user_name, mask_phone_numbers,
        theme, return_url, expires_at)
      VALUES ($accountId, $linkHash, $scopes::scope[], $webhookIds::uuid[], $creatorId, $portalUserName, $maskPhoneNumbers,
        $theme, $returnUrl, clock_timestamp() + $expiresInS::float8 * interval '1 second')
      RETURNING *
  ), log AS (${insertChangeSql('portal_session.created', { actor: '$actor', changed: allowedFieldsSql })})
  SELECT id, expires_at AS "expiresAt" FROM changed_rows`,
);

/**
 * Creates a session for the account. Null when there is no such account. Throws an UnknownWebhooksError or a
 * TooManyPortalSessionsError.
 */
export async function createPortalSession(
  db: Database,
  accountId: string,
  session: NewPortalSession,
): Promise<CreatedPortalSession | null> {
  if (!isUuid(accountId)) return null;
  const webhookIds = session.webhookIds && uniqueIds(session.webhookIds);
  const checked = await db.pool.query<{ sessions: number; webhooks: number }>(
    checkStatement({ accountId, webhookIds }),
  );
  const [counts] = checked.rows;
  if (!counts) return null;
  if (webhookIds && counts.webhooks !== webhookIds.length) throw new UnknownWebhooksError('unknown webhooks');
  if (counts.sessions >= maxPortalSessions) throw new TooManyPortalSessionsError('too many sessions');
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
  const { rows } = await db.pool.query<Omit<CreatedPortalSession, 'linkToken'>>(
    insertStatement({ ...values, actor: db.actor }),
  );
  const [created] = rows;
  if (!created) throw new Error('the statement that stores a session returned no row');
  return { ...created, linkToken };
}

/**
 * The distinct ids in lower case, as PostgreSQL writes them. Throws an UnknownWebhooksError for a text that is not an
 * id.
 */
function uniqueIds(ids: string[]): string[] {
  if (!ids.every(isUuid)) throw new UnknownWebhooksError('unknown webhooks');
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}
