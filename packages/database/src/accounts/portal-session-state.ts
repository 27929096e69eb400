import { createHmac } from 'node:crypto';

/**
 * SQL: whether the session of a row `s` of `portal_sessions` is live. It ends when it expires, when a request ends it,
 * and when the token that created it is revoked.
 */
export const liveSql = `(s.ended_at IS NULL AND s.expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.id = s.opener_id AND t.revoked_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM platform_tokens t WHERE t.id = s.opener_id AND t.revoked_at IS NOT NULL))`;

const bearerPrefix = 'rb_session_';

/** Whether a token has the form of a session's bearer. The hashes of bearers are not in the table of access tokens. */
export const isPortalBearer = (token: string) => token.startsWith(bearerPrefix);

/**
 * The bearer of a session. It is derived from the token of its link, so a link can be exchanged again after a reload.
 */
export const bearerOf = (linkToken: string) =>
  `${bearerPrefix}${createHmac('sha256', linkToken).update('bearer').digest('base64url')}`;
