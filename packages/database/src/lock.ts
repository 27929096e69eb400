import type { Database } from './open.js';

/** The tasks that only one process may run at a time, and the keys of their advisory locks. */
export const lockKeys = {
  migrate: 7_264_225_001,
  reseal: 7_264_225_002,
  reconcile: 7_264_225_003,
  partitions: 7_264_225_004,
} as const;

/**
 * Runs an act unless another process is running it, and returns whether it ran. It holds an advisory lock of PostgreSQL,
 * which ends with the connection, so that a process that dies blocks no other.
 */
export async function runAlone(db: Database, what: keyof typeof lockKeys, act: () => Promise<void>): Promise<boolean> {
  const key = lockKeys[what];
  const client = await db.pool.connect();
  let failure: Error | undefined;
  try {
    const { rows } = await client.query<{ acquired: boolean }>('SELECT pg_try_advisory_lock($1) AS acquired', [key]);
    if (!rows[0]?.acquired) return false;
    await act();
    await client.query('SELECT pg_advisory_unlock($1)', [key]);
    return true;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection that may still hold the lock is closed, which frees it.
    client.release(failure);
  }
}
