import type { Database } from '../connection/database.js';
import { text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';
import { formatOutcomeCursor, type OutcomeCursor, parseOutcomeCursor } from './outcomes.js';

const findStatement = statement<{ name: string }>('SELECT cursor FROM outcome_readers WHERE name = $name').returns({
  cursor: text,
});

/** The cursor that a reader of outcomes has stored; null if it has stored none. */
export async function findReaderCursor(db: Database, name: string): Promise<OutcomeCursor | null> {
  const row = await findStatement.row(db.pool, { name });
  return row === undefined ? null : parseOutcomeCursor(row.cursor);
}

const storeStatement = statement<{ name: string; previous: string | null; cursor: string }>(
  `INSERT INTO outcome_readers AS r (name, cursor) VALUES ($name, $cursor)
    ON CONFLICT (name) DO UPDATE SET cursor = $cursor, updated_at = clock_timestamp() WHERE r.cursor = $previous`,
);

/**
 * Stores the cursor of a reader in place of `previous`. False, and nothing is stored, if the reader has another one by
 * now: a second process reads under the same name.
 */
export async function storeReaderCursor(
  db: Database,
  name: string,
  { previous, cursor }: { previous: OutcomeCursor | null; cursor: OutcomeCursor },
): Promise<boolean> {
  const values = { name, previous: previous && formatOutcomeCursor(previous), cursor: formatOutcomeCursor(cursor) };
  return (await storeStatement.run(db.pool, values)) > 0;
}
