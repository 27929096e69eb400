import type pg from 'pg';
import type { Database } from './open.js';

/** Runs an act in a new transaction. It is rolled back when the act throws or sends `ROLLBACK` itself. */
export async function inTransaction<T>({ pool }: Database, act: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await act(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // Rolls back a transaction that was not committed; has no effect after a commit.
    await client.query('ROLLBACK').finally(() => client.release());
  }
}
