import type { Database } from './open.js';

/** What only one process may do at a time, and the number of its lock in PostgreSQL. No two have the same. */
export const lockKeys = {
  migrate: 7_264_225_001,
  reseal: 7_264_225_002,
  reconcile: 7_264_225_003,
  partitions: 7_264_225_004,
} as const;

/**
 * Runs an act unless another process is at it already, and says whether it ran. The lock is PostgreSQL's
 * and ends with the connection, so that a process that dies holds up nobody.
 */
export async function runAlone(db: Database, what: keyof typeof lockKeys, act: () => Promise<void>): Promise<boolean> {
  const key = lockKeys[what];
  const client = await db.pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [key]);
    if (!rows[0]?.mine) return false;
    await act();
    await client.query('SELECT pg_advisory_unlock($1)', [key]);
    return true;
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection that may still hold the lock is closed, which frees it.
    client.release(broken);
  }
}
