import { insertChangeSql } from '../changes.js';
import type { Actor, Database } from '../connection/open.js';
import { unpreparedStatement } from '../sql/statement.js';
import type { Scope } from '../generated/client.js';
import { isUuid } from '../sql/uuid.js';

/** The token that ends a session: an account's access token, or a platform token if `accountId` is null. */
type Credential = { accountId: string | null; credentialId: string; scopes: readonly Scope[] };

type EndParameters = { id: string; accountId: string | null; credentialId: string; scopes: Scope[]; actor: Actor };

// `missing`: the scopes of the session that the token lacks; empty if the token created the session. `insertChangeSql`
// records a change for each row of the CTE `changed_rows`.
const endStatement = unpreparedStatement<EndParameters>(
  `WITH found AS (
    SELECT id, ARRAY(SELECT s FROM unnest(scopes) WITH ORDINALITY AS u (s, n)
        WHERE creator_id IS DISTINCT FROM $credentialId AND s <> ALL($scopes::scope[]) ORDER BY n)::text[] AS missing
      FROM portal_sessions WHERE id = $id AND ($accountId::uuid IS NULL OR account_id = $accountId)
  ), changed_rows AS (
    UPDATE portal_sessions p SET ended_at = clock_timestamp() FROM found
      WHERE p.id = found.id AND found.missing = '{}' AND ended_at IS NULL RETURNING p.*
  ), log AS (${insertChangeSql('portal_session.ended', { actor: '$actor' })})
  SELECT missing[1] AS "missingScope" FROM found`,
);

/**
 * Ends a session. A token may end sessions that it created, and sessions that have no scope that it lacks. Returns null
 * if the account has no such session. If the token may not end the session, returns a scope that the token lacks and
 * leaves the session open. A session that was ended before does not change.
 */
export async function endPortalSession(
  db: Database,
  { accountId, credentialId, scopes }: Credential,
  id: string,
): Promise<{ missingScope: Scope | null } | null> {
  if (!isUuid(id)) return null;
  const values = { id, accountId, credentialId, scopes: [...scopes], actor: db.actor };
  const { rows } = await db.pool.query<{ missingScope: Scope | null }>(endStatement(values));
  return rows[0] ?? null;
}
