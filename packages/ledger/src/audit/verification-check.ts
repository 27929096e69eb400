import type { Database } from '../connection/open.js';

/**
 * The ids of pending verifications that were created since a time and were not updated for `minIdleMs`, so that no
 * worker should be processing them. Each should have a job in the verification queue.
 */
export function listIdlePendingVerifications(
  db: Database,
  { minIdleMs, since }: { minIdleMs: number; since: Date },
): Promise<string[]> {
  return readIds(db, idlePendingSql, [minIdleMs, since]);
}

const idlePendingSql = `SELECT id FROM verifications WHERE state = 'pending'
  AND updated_at < clock_timestamp() - $1::float8 * interval '1 millisecond' AND created_at >= $2`;

/** Returns those of the given ids that no verification has. */
export const findUnknownVerifications = (db: Database, ids: string[]) => readIds(db, unknownIdsSql, [ids]);

const unknownIdsSql = `SELECT i.id::text FROM unnest($1::uuid[]) AS i(id)
  WHERE NOT EXISTS (SELECT 1 FROM verifications v WHERE v.id = i.id)`;

async function readIds({ pool }: Database, statement: string, values: unknown[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(statement, values);
  return rows.map(({ id }) => id);
}
