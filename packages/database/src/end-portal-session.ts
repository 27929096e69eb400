import { insertChange } from './changes.js';
import { deleteInBatches, maxDeletedAtOnce } from './delete-in-batches.js';
import type { Actor, Database } from './open.js';
import { unpreparedStatement } from './statement.js';
import type { Scope } from './tokens.js';
import { isUuid } from './uuid.js';

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
