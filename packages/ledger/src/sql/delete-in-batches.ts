import type { Database } from '../connection/open.js';
import type { Statement } from './statement.js';

/** The `LIMIT` of a statement for `deleteInBatches`. Short statements lock few rows at a time. */
export const maxDeletedAtOnce = 10_000;

/**
 * Runs a statement that deletes at most `maxDeletedAtOnce` rows, again and again until it has deleted all. Returns the
 * number of deleted rows.
 */
export async function deleteInBatches<Values extends Record<string, unknown>>(
  db: Database,
  statement: Statement<Values, never>,
  values: Values,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await statement.run(db.pool, values);
    deleted += count;
    if (count < maxDeletedAtOnce) return deleted;
  }
}
