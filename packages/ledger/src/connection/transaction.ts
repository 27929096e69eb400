import type pg from 'pg';
import type { Database } from './open.js';

/** Runs `work` in a new transaction. The transaction is rolled back if `work` throws or sends `ROLLBACK` itself. */
export async function inTransaction<T>({ pool }: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // After a commit, ROLLBACK has no effect.
    await client.query('ROLLBACK').finally(() => client.release());
  }
}
