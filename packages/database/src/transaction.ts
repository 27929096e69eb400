import type pg from 'pg';
import type { Database } from './open.js';

/** Runs an act in a transaction of its own, which is undone when the act throws, or sends `ROLLBACK` itself. */
export async function inTransaction<T>({ pool }: Database, act: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await act(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // Ends the transaction when it was not committed, and does nothing otherwise.
    await client.query('ROLLBACK').finally(() => client.release());
  }
}
