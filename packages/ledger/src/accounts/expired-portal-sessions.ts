import { deleteInBatches, maxDeletedAtOnce } from '../sql/delete-in-batches.js';
import type { Database } from '../connection/open.js';
import { statement } from '../sql/statement.js';

const deleteStatement = statement(`DELETE FROM portal_sessions WHERE id IN (SELECT id FROM portal_sessions
  WHERE expires_at < clock_timestamp() - interval '1 day' ORDER BY expires_at LIMIT ${maxDeletedAtOnce})`);

/**
 * Deletes sessions that expired over a day ago, in statements of 10,000 rows. Returns the number of deleted sessions.
 */
export async function deleteExpiredPortalSessions(db: Database): Promise<number> {
  return deleteInBatches(db, deleteStatement, {});
}
