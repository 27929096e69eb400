import type pg from 'pg';
import type { Database } from './database.js';
import { boolean, integer } from '../sql/columns.js';
import { statement } from '../sql/statement.js';
import type { Prisma } from '../generated/client.js';

/** The tasks that only one process may run at a time, each with the key of its advisory lock. */
export const lockKeys = {
  migrate: 7_264_225_001,
  secrets: 7_264_225_002,
  verificationRepair: 7_264_225_003,
  partitions: 7_264_225_004,
  statistics: 7_264_225_005,
  outcomePositions: 7_264_225_006,
} as const;

const tryLockStatement = statement<{ key: number }>('SELECT pg_try_advisory_lock($key) AS acquired').returns({
  acquired: boolean,
});

/**
 * Runs a task unless another caller is running it, and returns whether it ran. The advisory lock ends with the
 * connection, so a process that dies does not block the others.
 */
export async function runExclusively(
  db: Database,
  lock: keyof typeof lockKeys,
  task: () => Promise<void>,
): Promise<boolean> {
  const key = lockKeys[lock];
  const client = await db.pool.connect();
  let failure: Error | undefined;
  try {
    if (!(await tryLockStatement.row(client, { key }))?.acquired) return false;
    await task();
    await client.query('SELECT pg_advisory_unlock($1)', [key]);
    return true;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // After a failure, the connection may still hold the lock. Closing the connection releases it.
    client.release(failure);
  }
}

const lockHolderStatement = statement<{
  key: number;
}>(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND (classid::bigint << 32) + objid::bigint = $key
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).returns({
  pid: integer.withoutNulls,
});

/** The process id of the PostgreSQL session that holds the lock; undefined if none holds it. */
export async function findLockHolder(client: pg.Client, key: number): Promise<number | undefined> {
  return (await lockHolderStatement.row(client, { key }))?.pid;
}

/**
 * Locks an account's row until the transaction ends, so that concurrent requests, which do the same, count each other's
 * rows. It does not block events. `run` returns 0 when no account has the id.
 */
export const lockAccountStatement = statement<{ accountId: string }>(
  'SELECT FROM accounts WHERE id = $accountId AND deleted_at IS NULL FOR NO KEY UPDATE',
);

/** As `lockAccountStatement`, in a transaction of Prisma. False when no account has the id. */
export async function lockAccount(tx: Prisma.TransactionClient, accountId: string): Promise<boolean> {
  return (
    (await tx.$executeRaw`SELECT FROM accounts WHERE id = ${accountId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`) >
    0
  );
}
