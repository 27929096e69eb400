import type { Database } from '../connection/open.js';
import type { NewPortalSession } from './create-portal-session.js';
import { bearerOf, liveSql } from './portal-session-state.js';
import { preparedStatement } from '../sql/statement.js';
import type { Scope } from '../generated/client.js';
import { findByHash } from './tokens.js';

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
      s.webhook_ids::text[] AS "webhookIds", s.actor AS "portalUserName"
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

/** The data that the portal needs for a session. `bearer` is null if the session has ended. */
export type PortalSession = Omit<NewPortalSession, 'expiresInS' | 'creatorId'> & {
  accountId: string;
  accountName: string;
  bearer: string | null;
  expiresAt: Date;
};

type LinkRow = Omit<PortalSession, 'bearer'> & { isLive: boolean };

const findLinksStatement = preparedStatement<{ hashes: string[] }>(
  'find_portal_links',
  `SELECT s.link_hash AS hash, s.account_id AS "accountId", a.name AS "accountName", s.scopes::text[] AS scopes,
      s.webhook_ids::text[] AS "webhookIds", s.actor AS "portalUserName", s.mask AS "maskPhoneNumbers", s.theme, s.return_url AS "returnUrl",
      s.expires_at AS "expiresAt", ${liveSql} AS "isLive"
    FROM portal_sessions s JOIN accounts a ON a.id = s.account_id WHERE s.link_hash = ANY($hashes::text[])`,
);

/** Creates a function that finds a session by the token of its link; null if it is unknown or its row was deleted. */
export function createPortalLinkFinder(db: Database): (linkToken: string) => Promise<PortalSession | null> {
  const find = findByHash(db, findLinksStatement, (row: LinkRow) => row);
  return async (linkToken) => {
    const row = await find(linkToken);
    if (!row) return null;
    const { isLive, ...session } = row;
    return { ...session, bearer: isLive ? bearerOf(linkToken) : null };
  };
}
