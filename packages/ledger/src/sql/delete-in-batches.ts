import type { Database } from '../connection/open.js';

/** The `LIMIT` of a statement for `deleteInBatches`. Short statements lock few rows at a time. */
export const maxDeletedAtOnce = 10_000;

/**
 * Runs a statement that deletes at most `maxDeletedAtOnce` rows, again and again until it has deleted all. Returns the
 * number of deleted rows.
 */
export async function deleteInBatches(db: Database, deleteSql: string, values: unknown[] = []): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await db.pool.query(deleteSql, values);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < maxDeletedAtOnce) return deleted;
  }
}
