import type { Database } from '../connection/open.js';
import type { NewPortalSession } from './create-portal-session.js';
import { generateBearer, liveSql } from './portal-session-state.js';
import { preparedStatement, unpreparedStatement } from '../sql/statement.js';
import type { Scope } from '../generated/client.js';
import { findByHash, hashOf } from './tokens.js';

/** The session of a request with a bearer, and what it allows. */
type PortalCaller = {
  id: string;
  accountId: string;
  scopes: Scope[];
  webhookIds: string[] | null;
  portalUserName: string | null;
};

const findBearersStatement = preparedStatement<{ hashes: string[] }>(
  'find_portal_bearers',
  `SELECT s.bearer_hash AS hash, s.id, s.account_id AS "accountId", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.portal_user_name AS "portalUserName"
    FROM portal_sessions s WHERE s.bearer_hash = ANY($hashes::text[]) AND ${liveSql}`,
);

/** Creates a function that finds a session by its bearer; null if the bearer is unknown or the session has ended. */
export function createPortalBearerFinder(db: Database): (bearer: string) => Promise<PortalCaller | null> {
  const toCaller = ({ id, accountId, scopes, webhookIds, portalUserName }: PortalCaller) => ({
    id,
    accountId,
    scopes,
    webhookIds,
    portalUserName,
  });
  return findByHash(db, findBearersStatement, toCaller);
}

/** The data that the portal needs for a session. */
export type PortalSession = Omit<NewPortalSession, 'expiresInS' | 'creatorId'> & {
  accountId: string;
  accountName: string;
  expiresAt: Date;
};

/** What became of a link: it was exchanged for a new bearer, it had been used before, or its session has ended. */
export type ExchangedLink = { session: PortalSession } & (
  { state: 'exchanged'; bearer: string } | { state: 'used' | 'ended' }
);

type LinkRow = PortalSession & { isLive: boolean; isUsed: boolean };

const findLinksStatement = preparedStatement<{ hashes: string[] }>(
  'find_portal_links',
  `SELECT s.link_hash AS hash, s.account_id AS "accountId", a.name AS "accountName", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.portal_user_name AS "portalUserName", s.mask_phone_numbers AS "maskPhoneNumbers", s.theme, s.return_url AS "returnUrl",
      s.expires_at AS "expiresAt", ${liveSql} AS "isLive", s.bearer_hash IS NOT NULL AS "isUsed"
    FROM portal_sessions s JOIN accounts a ON a.id = s.account_id WHERE s.link_hash = ANY($hashes::text[])`,
);

// Of concurrent exchanges, the row's lock lets one store its bearer.
const exchangeStatement = unpreparedStatement<{ linkHash: string; bearerHash: string }>(
  `UPDATE portal_sessions s SET bearer_hash = $bearerHash
    WHERE s.link_hash = $linkHash AND s.bearer_hash IS NULL AND ${liveSql}`,
);

/**
 * Creates a function that exchanges the token of a session's link for the session's bearer, once. Null if the token is
 * unknown or its row was deleted. Only a link that can be exchanged causes a write.
 */
export function createPortalLinkExchanger(db: Database): (linkToken: string) => Promise<ExchangedLink | null> {
  const find = findByHash(db, findLinksStatement, (row: LinkRow) => row);
  return async (linkToken) => {
    const row = await find(linkToken);
    if (!row) return null;
    const { isLive, isUsed, ...session } = row;
    if (!isLive) return { session, state: 'ended' };
    if (isUsed) return { session, state: 'used' };
    const bearer = generateBearer();
    const hashes = { linkHash: hashOf(linkToken), bearerHash: hashOf(bearer) };
    const { rowCount } = await db.pool.query(exchangeStatement(hashes));
    return rowCount === 1 ? { session, state: 'exchanged', bearer } : { session, state: 'used' };
  };
}
