import { randomBytes } from 'node:crypto';

/**
 * SQL: whether the session of a row `s` of `portal_sessions` is live. It ends when it expires, when a request ends it,
 * and when the token that created it is revoked.
 */
export const liveSql = `(s.ended_at IS NULL AND s.expires_at > clock_timestamp()
    AND NOT EXISTS (SELECT FROM access_tokens t WHERE t.id = s.creator_id AND t.revoked_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM platform_tokens t WHERE t.id = s.creator_id AND t.revoked_at IS NOT NULL))`;

const bearerPrefix = 'rb_session_';

/** Whether a token has the form of a session's bearer. The hashes of bearers are not in the table of access tokens. */
export const isPortalBearer = (token: string) => token.startsWith(bearerPrefix);

/** A new bearer. It is random, so that the holder of a copied link cannot derive it. */
export const generateBearer = () => `${bearerPrefix}${randomBytes(32).toString('base64url')}`;
